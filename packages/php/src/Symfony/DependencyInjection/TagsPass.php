<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;

/**
 * A pool of framework.cache with `tags: true` on our adapter has tags by itself: Symfony's TagAwareAdapter, which keeps
 * them in items, is taken away from around it.
 *
 * @internal
 */
final class TagsPass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        foreach ($container->getDefinitions() as $id => $definition) {
            $inner = $definition->getClass() === TagAwareAdapter::class ? ($definition->getArguments()[0] ?? null) : null;
            if (!$inner instanceof Reference || ($definition->getArguments()[1] ?? null) !== null || !$container->hasDefinition((string) $inner)) {
                continue;
            }
            $pool = $container->getDefinition((string) $inner);
            if (!$pool instanceof ChildDefinition || !$this->isOurs($container, $pool)) {
                continue;
            }
            $pool->setParent('cache.adapter.larder_tag_aware');
            foreach ($definition->getTag('cache.taggable') as $attributes) {
                $pool->addTag('cache.taggable', $attributes);
            }
            $container->removeDefinition($id);
            $container->setAlias($id, (string) $inner)->setPublic($definition->isPublic());
        }
    }

    private function isOurs(ContainerBuilder $container, ChildDefinition $pool): bool
    {
        for ($parent = $pool->getParent(); $parent !== 'cache.adapter.larder'; $parent = $definition->getParent()) {
            $definition = $container->has($parent) ? $container->findDefinition($parent) : null;
            if (!$definition instanceof ChildDefinition) {
                return false;
            }
        }
        return true;
    }
}
