<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderAdapter;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Parameter;

/**
 * Keeps the entries of different builds of the container apart, in the pool `cache.system` and in the pools made from it. These entries
 * contain what Symfony and Doctrine have read from the code, so a build with new code must not find the entries of the old code. Entries of
 * other pools survive a deployment.
 *
 * @internal
 */
final class SystemPass implements CompilerPassInterface
{
    public function process(ContainerBuilder $container): void
    {
        $pool = $adapter = $container->hasDefinition('cache.system') ? $container->getDefinition('cache.system') : null;
        while ($adapter instanceof ChildDefinition) {
            $adapter = $container->findDefinition($adapter->getParent());
        }
        if ($pool instanceof ChildDefinition && is_a((string) $adapter?->getClass(), LarderAdapter::class, true)) {
            $pool->replaceArgument(2, new Parameter('container.build_id'));
        }
    }
}
