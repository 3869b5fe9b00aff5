<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** Thrown in place of a store's ValueError for a key. Implements the interfaces that PSR-6 and PSR-16 demand. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
