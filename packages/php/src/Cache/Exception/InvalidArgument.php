<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A key, tag or time is invalid. Nothing was stored or removed. */
final class InvalidArgument extends \InvalidArgumentException implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
