--TEST--
larder: object: the answer of a hook is freed if a destructor of the hook's variables throws
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache as V;

class Throws { public function __destruct() { throw new LogicException('thrown'); } }
class Answers
{
    public static bool $throws = true;
    public static int $alive = 0;
    public function __construct() { self::$alive++; }
    public function __destruct() { self::$alive--; }
}
class Serializes
{
    public function __serialize(): array { $throws = Answers::$throws ? new Throws : null; return ['text' => str_repeat('x', 100000), 'object' => new Answers]; }
    public function __unserialize(array $data): void {}
}
class Restores
{
    public function __serialize(): array { return ['k' => 1]; }
    public function __unserialize(array $data) { $throws = Answers::$throws ? new Throws : null; return new Answers; }
}
$thrown = 0;
for ($i = 0; $i < 100; $i++) {
    try { V::set('k', new Serializes); } catch (LogicException) { $thrown++; }
}
echo "$thrown thrown, ", Answers::$alive, " answers left\n";
V::set('r', [new Restores, new Restores]);
for ($i = 0; $i < 100; $i++) {
    try { V::get('r'); } catch (LogicException) { $thrown++; }
}
echo "$thrown thrown, ", Answers::$alive, " answers left\n";
Answers::$throws = false;
var_dump(V::set('k', new Restores), V::get('k') instanceof Restores, Answers::$alive);
?>
--EXPECT--
100 thrown, 0 answers left
200 thrown, 0 answers left
bool(true)
bool(true)
int(0)
