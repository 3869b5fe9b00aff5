<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server has refused a call. If it has not answered, this is the subclass ServerUnreachable. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException {}
