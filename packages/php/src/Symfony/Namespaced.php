<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Contracts\Cache\NamespacedPoolInterface;

if (interface_exists(NamespacedPoolInterface::class)) {
    /** @internal NamespacedPoolInterface, where symfony/cache-contracts has it (3.6) */
    interface Namespaced extends NamespacedPoolInterface {}
} else {
    interface Namespaced {}
}
