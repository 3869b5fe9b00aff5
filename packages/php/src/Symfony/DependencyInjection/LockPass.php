<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderLockStoreFactory;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * `framework: { lock: larder }`: Symfony takes the word for a service that is a connection, and asks its StoreFactory,
 * which does not know ours. The value of a DSN in the environment is not known yet, so our factory is asked then.
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
