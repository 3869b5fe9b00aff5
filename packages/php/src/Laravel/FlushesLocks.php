<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Cache\CanFlushLocks;

/* Only Laravel 13 and later have an interface for `cache:clear --locks`. Our interface extends Laravel's where Laravel has one. */
if (interface_exists(CanFlushLocks::class)) {
    interface FlushesLocks extends CanFlushLocks {}
} else {
    interface FlushesLocks
    {
        public function flushLocks(): bool;

        public function hasSeparateLockStore(): bool;
    }
}
