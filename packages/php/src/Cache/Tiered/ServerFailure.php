<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server refused what it was asked, or, as ServerUnreachable, could not be. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException {}
