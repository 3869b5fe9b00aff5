<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Reference;

/**
 * Removes Symfony's TagAwareAdapter around pools with our adapter, because our adapter has tags of its own. Symfony puts a
 * TagAwareAdapter around each pool with `tags: true`. For each other pool, Symfony defines a TagAwareAdapter that services get if they
 * ask for a TagAwareCacheInterface.
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
            $ours = $this->ours($container, $pool);
            if ($ours === null) {
                continue;
            }
            $ours->setParent('cache.adapter.larder_tag_aware');
            foreach ($definition->getTag('cache.taggable') as $attributes) {
                \assert(\is_array($attributes));
                $pool->addTag('cache.taggable', $attributes);
            }
            $container->removeDefinition($id);
            $container->setAlias($id, (string) $inner)->setPublic($definition->isPublic());
        }
    }

    /**
     * Returns the definition that names our adapter as the parent. This is the definition of the pool itself, or of a pool from which it
     * inherits. Returns null if the pool has another adapter.
     */
    private function ours(ContainerBuilder $container, Definition $pool): ?ChildDefinition
    {
        while ($pool instanceof ChildDefinition) {
            if (str_starts_with($pool->getParent(), 'cache.adapter.larder')) {
                return $pool;
            }
            $pool = $container->findDefinition($pool->getParent());
        }
        return null;
    }
}
