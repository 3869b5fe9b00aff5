<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A store has refused a key. All stores throw a ValueError for it; PSR-6 and PSR-16 demand their own exceptions. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
