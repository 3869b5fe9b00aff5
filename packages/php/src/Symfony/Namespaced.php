<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Contracts\Cache\NamespacedPoolInterface;

if (interface_exists(NamespacedPoolInterface::class)) {
    /** @internal NamespacedPoolInterface, which symfony/cache-contracts has from version 3.6 on */
    interface Namespaced extends NamespacedPoolInterface {}
} else {
    interface Namespaced {}
}
