<?php

declare(strict_types=1);

namespace Larder\Symfony\DependencyInjection;

use Larder\Symfony\LarderAdapter;
use Symfony\Component\Cache\Adapter\ChainAdapter;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Exception\InvalidArgumentException;

/**
 * Refuses options of pools that LarderAdapter does not support. The error comes when the container is built.
 *
 * @internal
 */
final class OptionsPass implements CompilerPassInterface
{
    private const REFUSED = [
        'early_expiration_message_bus' => 'a pool on Larder computes early in the process that asks for the value, while the others get the old one',
        'provider' => 'a pool on Larder is in the store of its processes; for another Larder\Cache\Store define a service of Larder\Symfony\LarderTagAwareAdapter',
    ];

    public function process(ContainerBuilder $container): void
    {
        foreach (array_keys($container->findTaggedServiceIds('cache.pool')) as $id) {
            $pool = $container->getDefinition($id);
            if ($pool->isAbstract()) {
                continue;
            }
            [$class, $options] = $this->origin($container, $pool);
            if ($class === ChainAdapter::class) {
                $adapters = $pool->getArguments()[0] ?? [];
                foreach (\is_array($adapters) ? $adapters : [] as $provider => $adapter) {
                    if (\is_string($provider) && \is_string($adapter) && $this->isOurs($this->origin($container, new ChildDefinition($adapter))[0])) {
                        $this->refuse($id, 'provider', $options);
                    }
                }
            } elseif ($this->isOurs($class)) {
                foreach (array_keys(array_intersect_key(self::REFUSED, $options)) as $option) {
                    $this->refuse($id, $option, $options);
                }
            }
        }
    }

    /**
     * @return array{?string, array<mixed>} the class of a pool, and its options with those of its parents; null removes a parent's option
     */
    private function origin(ContainerBuilder $container, Definition $pool): array
    {
        for ($options = [];; $pool = $container->findDefinition($pool->getParent())) {
            $tag = $pool->getTag('cache.pool')[0] ?? [];
            $options += \is_array($tag) ? $tag : [];
            if (!$pool instanceof ChildDefinition) {
                return [$pool->getClass(), array_filter($options, static fn(mixed $option): bool => $option !== null)];
            }
        }
    }

    private function isOurs(?string $class): bool
    {
        return $class !== null && is_a($class, LarderAdapter::class, true);
    }

    /** @param array<mixed> $options */
    private function refuse(string $id, string $option, array $options): never
    {
        $name = \is_string($options['name'] ?? null) ? $options['name'] : $id;
        throw new InvalidArgumentException(\sprintf('The cache pool "%s" cannot have "%s": %s.', $name, $option, self::REFUSED[$option]));
    }
}
