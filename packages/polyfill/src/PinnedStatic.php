<?php

declare(strict_types=1);

namespace Larder;

/** Has no effect in the polyfill: the property lasts only until the request ends. */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class PinnedStatic
{
    public function __construct() {}
}
