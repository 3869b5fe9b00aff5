<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A store has refused a key by a ValueError. Has the interfaces that PSR-6 and PSR-16 demand. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
