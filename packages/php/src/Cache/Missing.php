<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Stands for "there is no entry" where null may be a value.
 *
 * @internal
 */
enum Missing
{
    case Value;
}
