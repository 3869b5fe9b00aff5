<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server has refused a call. In the subclass ServerUnreachable, it has not answered. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException {}
