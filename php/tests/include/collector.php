<?php
/* Helpers for tests in which the cycle collector starts at the worst moment. */

/** Makes an unreachable cycle. When the cycle collector destroys the cycle, a destructor calls $then. */
function garbage(Closure $then): void
{
    new class($then) {
        private $self;
        public function __construct(private Closure $then) { $this->self = $this; }
        public function __destruct() { ($this->then)(); }
    };
}

/** Values that are kept in the cycle collector's list. */
final class Roots
{
    private static array $values = [];

    /** Fills the cycle collector's list, so that the next value that PHP adds to the list starts the collector. */
    public static function fill(): void
    {
        $full = gc_status()['threshold'] - 1;
        while (gc_status()['roots'] < $full) {
            $value = [count(self::$values)];
            self::$values[] = $value;
            $value = null;
        }
    }
}
