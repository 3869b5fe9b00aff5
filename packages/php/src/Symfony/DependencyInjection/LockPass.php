<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderLockStoreFactory;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Makes `framework: { lock: larder }` use our store, which Symfony does not know. Our factory chooses it at run time, because the
 * environment may contain the DSN.
 *
 * @internal
 */
final class LockPass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        foreach ($container->getDefinitions() as $id => $definition) {
            if ($definition->getFactory() !== [StoreFactory::class, 'createStore']) {
                continue;
            }
            $connection = $definition->getArguments()[0] ?? null;
            if ($connection instanceof Reference && (string) $connection === 'larder') {
                $container->removeDefinition($id);
                $container->setAlias($id, 'larder.lock_store');
            } elseif (\is_string($connection)) {
                $definition->setFactory([LarderLockStoreFactory::class, 'createStore']);
            }
        }
    }
}
