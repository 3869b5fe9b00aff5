<?php
/* Helpers for tests in which the cycle collector starts at the worst moment. */

/** Leave an unreachable cycle. When the cycle collector destroys it, it calls $then. */
function garbage(Closure $then): void
{
    new class($then) {
        private $self;
        public function __construct(private Closure $then) { $this->self = $this; }
        public function __destruct() { ($this->then)(); }
    };
}

/** The values in the cycle collector's list. */
final class Roots
{
    private static array $values = [];

    /** Fill the list: the next value that must be listed starts the collector. */
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
