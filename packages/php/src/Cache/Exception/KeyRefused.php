<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/**
 * A store has refused a key. Stores throw a ValueError in this case, so this is one. It is also the exception that PSR-6 and PSR-16 demand.
 */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
