<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A key that a store cannot have: the ValueError of all stores, and what the PSRs want of a cache. */
final class KeyRefused extends \ValueError implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
