<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Symfony\DependencyInjection\CollectorPass;
use Larder\Symfony\DependencyInjection\LockPass;
use Larder\Symfony\DependencyInjection\OptionsPass;
use Larder\Symfony\DependencyInjection\SystemPass;
use Larder\Symfony\DependencyInjection\TagsPass;
use Symfony\Component\DependencyInjection\Compiler\PassConfig;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\HttpKernel\Bundle\AbstractBundle;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Messenger\Transport\TransportFactoryInterface;

/**
 * Makes Larder available in Symfony's configuration, and adds a panel to the profiler:
 * - `cache.adapter.larder` is an adapter for framework.cache.
 * - `larder` is a store for framework.lock, also in LOCK_DSN.
 * - `larder.session` is a handler for framework.session.
 * - `larder://NAME` is a transport for framework.messenger (see LarderWorkerListener).
 */
final class LarderBundle extends AbstractBundle
{
    public function getPath(): string
    {
        return \dirname(__DIR__, 2);
    }

    /** @param array<mixed> $config */
    public function loadExtension(array $config, ContainerConfigurator $container, ContainerBuilder $builder): void
    {
        foreach (['cache.adapter.larder' => LarderAdapter::class, 'cache.adapter.larder_tag_aware' => LarderTagAwareAdapter::class] as $id => $class) {
            $builder->register($id, $class)
                ->setAbstract(true)
                ->setArguments(['', 0, ''])
                ->addMethodCall('setLogger', [new Reference('logger', ContainerBuilder::IGNORE_ON_INVALID_REFERENCE)])
                ->addTag('cache.pool', ['clearer' => 'cache.default_clearer', 'reset' => 'reset'])
                ->addTag('monolog.logger', ['channel' => 'cache']);
        }
        if (interface_exists(PersistingStoreInterface::class)) {
            $builder->register('larder.lock_store', LarderLockStore::class);
        }
        if (interface_exists(TransportFactoryInterface::class)) {
            $builder->register('larder.messenger.transport_factory', LarderTransportFactory::class)
                ->setArguments([new Reference('logger', ContainerBuilder::IGNORE_ON_INVALID_REFERENCE)])
                ->addTag('messenger.transport_factory')
                ->addTag('monolog.logger', ['channel' => 'messenger']);
            $builder->register('larder.messenger.worker_listener', LarderWorkerListener::class)
                ->addTag('kernel.event_subscriber');
        }
        $builder->register('larder.session', LarderSessionHandler::class);
    }

    public function build(ContainerBuilder $container): void
    {
        parent::build($container);
        $container->addCompilerPass(new TagsPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 40); // before Symfony's CachePoolPass
        $container->addCompilerPass(new OptionsPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 35);
        $container->addCompilerPass(new SystemPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 35);
        $container->addCompilerPass(new LockPass());
        $container->addCompilerPass(new CollectorPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 30); // after Symfony's CachePoolPass
    }
}
