<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** A call of the server has failed. The subclass ServerUnreachable is for calls that the server has not answered. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException,
    ServerTrouble {}
