<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Means "there is no entry". null cannot mean this, because it may be the value of an entry.
 *
 * @internal
 */
enum Missing
{
    case Value;
}
