<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** An invalid key, tag or time; nothing was stored or removed. */
final class InvalidArgument extends \InvalidArgumentException implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
