<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Cache\CanFlushLocks;

/* Laravel 13 has an interface for `cache:clear --locks`, and earlier versions have none. */
if (interface_exists(CanFlushLocks::class)) {
    interface FlushesLocks extends CanFlushLocks {}
} else {
    interface FlushesLocks
    {
        public function flushLocks(): bool;

        public function hasSeparateLockStore(): bool;
    }
}
