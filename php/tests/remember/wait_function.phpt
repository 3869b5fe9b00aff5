--TEST--
larder: remember: the function of waitWith(): a wait within it sleeps, in each fiber, and a destructor of the old one may name another
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$empty = Queue::open('empty');
$depth = $deepest = $calls = 0;
Larder\waitWith(function (float $seconds) use ($empty, &$depth, &$deepest, &$calls): bool {
    $calls++;
    $deepest = max($deepest, ++$depth);
    $empty->pop(0.001);
    $depth--;
    return true;
});
var_dump($empty->pop(0.05), $deepest, $calls > 0);
$fiber = new Fiber(fn() => $empty->pop(0.05));
$fiber->start();
var_dump($fiber->getReturn(), $deepest);

// The wait function suspends the fiber. Then the main program waits, too, and calls the wait function before the fiber resumes.
$calls = 0;
Larder\waitWith(function () use (&$calls): bool {
    $calls++;
    if (Fiber::getCurrent() !== null) Fiber::suspend();
    return true;
});
$fiber = new Fiber(fn() => $empty->pop(60));
$fiber->start();
$before = $calls;
var_dump($empty->pop(0.01), $calls > $before);
unset($fiber);
$before = $calls;
var_dump($empty->pop(0.01), $calls > $before);

// an exception ends only the wait in which it was thrown
$throws = true;
Larder\waitWith(function () use (&$throws, &$calls): bool {
    $calls++;
    return $throws ? throw new LogicException('enough') : true;
});
try { $empty->pop(60); } catch (LogicException $e) { echo $e->getMessage(), "\n"; }
$throws = false;
$before = $calls;
var_dump($empty->pop(0.01), $calls > $before);

final class Ends
{
    public function __construct(private string $name, private ?Ends $next = null) {}
    public function __destruct()
    {
        echo "$this->name ends\n";
        if ($this->next !== null) Larder\waitWith($this->next->wait(...));
    }
    public function wait(float $seconds): bool { return true; }
}
Larder\waitWith((new Ends('first', new Ends('second')))->wait(...));
Larder\waitWith(fn() => true);
echo "the first is replaced\n";
Larder\waitWith(null);
echo "at the end\n";
--EXPECT--
NULL
int(1)
bool(true)
NULL
int(1)
NULL
bool(true)
NULL
bool(true)
enough
NULL
bool(true)
first ends
the first is replaced
second ends
at the end
