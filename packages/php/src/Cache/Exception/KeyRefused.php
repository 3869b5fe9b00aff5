<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A key that a store refuses. It is the ValueError of all stores, and the exception that the PSRs demand of a cache. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
