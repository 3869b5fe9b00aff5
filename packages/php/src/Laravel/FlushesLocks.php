<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Cache\CanFlushLocks;

/* Extends Laravel's interface for `cache:clear --locks`, which only Laravel 13 and later have. */
if (interface_exists(CanFlushLocks::class)) {
    interface FlushesLocks extends CanFlushLocks {}
} else {
    interface FlushesLocks
    {
        public function flushLocks(): bool;

        public function hasSeparateLockStore(): bool;
    }
}
