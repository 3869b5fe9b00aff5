<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\Repository;

/** Laravel's repository on a LarderStore. */
final class LarderRepository extends Repository
{
    use PullsOnce;
}
