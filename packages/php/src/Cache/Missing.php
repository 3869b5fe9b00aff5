<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * The value for "there is no entry", because null may be a value.
 *
 * @internal
 */
enum Missing
{
    case Value;
}
