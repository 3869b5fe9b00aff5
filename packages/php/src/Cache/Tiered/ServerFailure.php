<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server refused a call or, as ServerUnreachable, did not answer it. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException {}
