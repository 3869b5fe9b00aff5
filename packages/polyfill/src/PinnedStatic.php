<?php

declare(strict_types=1);

namespace Larder;

/**
 * The attribute has no effect in the polyfill. The property keeps its value only until the request ends, like any static property.
 */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class PinnedStatic
{
    public function __construct() {}
}
