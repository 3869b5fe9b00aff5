<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** A call to the server has failed. If the server did not answer, the exception is a ServerUnreachable. */
class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException,
    ServerTrouble {}
