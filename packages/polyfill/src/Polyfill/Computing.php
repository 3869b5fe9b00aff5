<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** A call of remember() whose $compute is running. */
final class Computing
{
    /** @var \WeakReference<\Fiber<mixed, mixed, mixed, mixed>>|null */
    private readonly ?\WeakReference $fiber;

    /** @param bool $hasReserved true if this call has locked the key itself */
    public function __construct(public readonly string $key, public readonly bool $hasReserved)
    {
        $fiber = \Fiber::getCurrent();
        /** @phpstan-ignore assign.propertyType */
        $this->fiber = $fiber !== null ? \WeakReference::create($fiber) : null;
    }

    public function run(callable $compute): mixed
    {
        return $compute();
    }

    /**
     * Returns true if this call was made in the fiber that runs now. If no fiber runs now, returns true if this call was made outside of
     * fibers.
     */
    public function isHere(): bool
    {
        return $this->fiber?->get() === \Fiber::getCurrent();
    }

    /** Returns true if exit() or a fatal error has ended this call without its finally blocks. */
    public function isGone(): bool
    {
        $fiber = $this->fiber?->get();
        if ($this->fiber !== null && ($fiber === null || $fiber->isTerminated())) {
            return true;
        }
        if (!$this->isHere()) {
            return false;
        }
        foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT | DEBUG_BACKTRACE_IGNORE_ARGS) as $frame) {
            if (($frame['object'] ?? null) === $this && $frame['function'] === 'run') {
                return false;
            }
        }
        return true;
    }
}
