<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A store has refused a key. This is a ValueError, which all stores throw, and also the exception that the PSRs demand of a cache. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
