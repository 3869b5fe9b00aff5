<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server could not be reached, or refused what it was asked. */
final class ServerFailure extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException {}
