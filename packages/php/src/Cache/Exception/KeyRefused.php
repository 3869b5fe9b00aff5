<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A key that a store refuses. It is a ValueError, which all stores throw, and also the exception that the PSRs require from a cache. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
