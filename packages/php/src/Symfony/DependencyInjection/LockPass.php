<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderLockStoreFactory;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Makes `framework: { lock: larder }` use LarderLockStore. Symfony does not know this DSN. A DSN from an environment variable is known only
 * at run time, so LarderLockStoreFactory replaces Symfony's factory, and checks the DSN at run time.
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
