<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Means "there is no entry", because null may be the value of an entry.
 *
 * @internal
 */
enum Missing
{
    case Value;
}
