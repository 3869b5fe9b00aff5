<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderAdapter;
use Larder\Symfony\LarderCollector;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;

/**
 * Tells the profiler's panel, if there is one, which pools use LarderAdapter.
 *
 * @internal
 */
final class CollectorPass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        if (!$container->hasDefinition('profiler')) {
            return;
        }
        $pools = [];
        foreach ($container->findTaggedServiceIds('cache.pool') as $id => $tags) {
            $definition = $parent = $container->getDefinition($id);
            while ($parent instanceof ChildDefinition) {
                $parent = $container->findDefinition($parent->getParent());
            }
            if (!$definition->isAbstract() && is_a((string) $parent->getClass(), LarderAdapter::class, true)) {
                $attributes = $tags[0] ?? [];
                $name = \is_array($attributes) && \is_string($attributes['name'] ?? null) ? $attributes['name'] : $id;
                $pools[$name] = new Reference($id);
            }
        }
        $container->register('data_collector.larder', LarderCollector::class)
            ->setArguments([$pools])
            ->addTag('data_collector', ['id' => 'larder', 'template' => '@Larder/collector.html.twig', 'priority' => 270])
            ->addTag('kernel.reset', ['method' => 'reset']);
    }
}
