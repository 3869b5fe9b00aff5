<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** A call to the server has failed. See also ServerUnreachable. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException,
    ServerTrouble {}
