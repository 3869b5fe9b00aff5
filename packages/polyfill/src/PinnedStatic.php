<?php

declare(strict_types=1);

namespace Larder;

/** The attribute exists and does nothing here: a static keeps its value until the request ends, like every static. */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class PinnedStatic
{
    public function __construct() {}
}
