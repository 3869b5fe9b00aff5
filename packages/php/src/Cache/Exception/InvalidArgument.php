<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A key, a tag or a time that makes no sense; nothing was stored or removed. */
final class InvalidArgument extends \InvalidArgumentException implements
    \Psr\Cache\InvalidArgumentException,
    \Psr\SimpleCache\InvalidArgumentException {}
