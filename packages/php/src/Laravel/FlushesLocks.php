<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Cache\CanFlushLocks;

/* `cache:clear --locks` of Laravel 13 needs its contract, which earlier versions lack. */
if (interface_exists(CanFlushLocks::class)) {
    interface FlushesLocks extends CanFlushLocks {}
} else {
    interface FlushesLocks
    {
        public function flushLocks(): bool;

        public function hasSeparateLockStore(): bool;
    }
}
