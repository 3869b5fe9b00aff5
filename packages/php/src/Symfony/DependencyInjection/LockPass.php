<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderLockStoreFactory;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Handles `framework: { lock: larder }`. Symfony treats the word `larder` as the name of a service, and passes this service to Symfony's
 * StoreFactory, which does not know our store. So this class replaces the definition by our store. The value may also be a DSN in an
 * environment variable, which is not known at compile time. In this case, our factory chooses the store when the lock is made.
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
