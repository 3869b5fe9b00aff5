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
 * Replaces Symfony's TagAwareAdapter around a LarderAdapter by LarderTagAwareAdapter, which implements tags itself.
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

    /** Searches the pool and its ancestors for the definition whose parent is our adapter. Returns null if there is none. */
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
