<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Messenger\Stamp\StampInterface;

/** The priority of a message. Messages with a higher priority are handled first. The default is 0. */
final class LarderPriorityStamp implements StampInterface
{
    public function __construct(public readonly int $priority) {}
}
