<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Permits;

/**
 * A permit of a semaphore. The permit ends when this object is destroyed.
 * @strict-properties
 */
final class Permit
{
    use Closed;

    private readonly string $name;
    private readonly int $number;

    private function __construct() {}

    /** Sets the end of the permit to $lease seconds from now (0: no lease). Returns false if it has already ended. */
    public function renew(int|float $lease): bool
    {
        Fault::most(\func_num_args(), 1);
        return Permits::renew($this->name, $this->number, Fault::seconds($lease, 1));
    }

    /** Ends the permit. Returns false if it has already ended, for example with its lease. */
    public function release(): bool
    {
        Fault::most(\func_num_args(), 0);
        return Permits::release($this->name, $this->number);
    }

    public function __destruct()
    {
        Permits::release($this->name, $this->number);
    }
}
