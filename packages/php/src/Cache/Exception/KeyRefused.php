<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A store has refused a key. A ValueError, as all stores throw, and the exception that PSR-6 and PSR-16 demand. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
