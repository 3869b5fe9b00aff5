<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/**
 * A store has refused a key. This class is a ValueError, because stores throw one in this case. It also has the interfaces that PSR-6 and
 * PSR-16 demand.
 */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
