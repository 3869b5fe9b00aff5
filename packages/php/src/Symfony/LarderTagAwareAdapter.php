<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Cache\Adapter\TagAwareAdapterInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

/** A LarderAdapter whose items have tags: `adapter: cache.adapter.larder` with `tags: true` in the configuration. */
final class LarderTagAwareAdapter extends LarderAdapter implements TagAwareAdapterInterface, TagAwareCacheInterface
{
    protected const TAGGABLE = true;

    public function invalidateTags(array $tags): bool
    {
        return $this->invalidate($tags);
    }
}
