--TEST--
larder: object: an object of a class that has changed is a miss, and the entry stays for those that have the old class
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { $run(); exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
function changed(string $what, string $old, string $new): void
{
    child(function () use ($old) { eval($old); VolatileCache::set('k', ['v' => make(), 'text' => str_repeat('x', 100)]); });
    echo str_pad("$what: ", 32);
    child(function () use ($new) {
        eval($new);
        try { $got = VolatileCache::get('k', 'a miss'); } catch (Error $e) { $got = $e->getMessage(); }
        echo is_array($got) ? 'a hit ' . json_encode($got['v']) : $got, VolatileCache::has('k') ? '' : ', gone';
    });
    child(function () use ($old) { eval($old); echo is_array(VolatileCache::get('k')) ? "\n" : ", and the old is lost\n"; });
}
$make = ' function make() { return new T; }';
changed('nothing', "class T { public \$a = 1; private \$b; } $make", 'class T { public $a = 2; private $b; }');
changed('a method, a constant, final', "final class T { public \$a = 1; } $make", 'class T { const C = 1; public $a; function f() {} static $s; }');
changed('added', "class T { public \$a = 1; } $make", 'class T { public $a; public $b = "new"; }');
changed('removed', "class T { public \$a = 1; public \$b; } $make", 'class T { public $a; }');
changed('reordered', "class T { public \$a = 1; public \$b; } $make", 'class T { public $b; public $a; }');
changed('renamed', "class T { public \$a = 1; } $make", 'class T { public $A; }');
changed('retyped', "class T { public int \$a = 1; } $make", 'class T { public string $a = ""; }');
changed('union type', "class T { public int|string \$a = 1; } $make", 'class T { public int|array $a = 1; }');
changed('class type', "class T { public ?A \$a = null; } $make", 'class T { public ?B $a = null; }');
changed('made nullable', "class T { public int \$a = 1; } $make", 'class T { public ?int $a = 1; }');
changed('visibility', "class T { public \$a = 1; } $make", 'class T { private $a; }');
changed('made readonly', "class T { public int \$a; } $make", 'class T { public readonly int $a; }');
changed('other parent', "class P { public \$p; } class T extends P { public \$a = 1; } $make", 'class Q { public $p; } class T extends Q { public $a; }');
changed('parent without properties', "class T { public \$a = 1; } $make", 'class Q {} class T extends Q { public $a; }');
changed("the parent's private property", "class P { private \$p; } class T extends P { public \$a = 1; } $make", 'class P { protected $p; } class T extends P { public $a; }');
changed('moved to the parent', "class P { } class T extends P { private \$a = 1; } $make", 'class P { private $a = 1; } class T extends P { }');
changed('__get added', "class T { public \$a = 1; } $make", 'class T { public $a; function __get($n) {} }');
changed('__sleep added', "class T { public \$a = 1; } $make", 'class T { public $a; function __sleep() { return []; } }');
changed('__unserialize added', "class T { public \$a = 1; } $make", 'class T { public $a; function __serialize(): array { return []; } function __unserialize(array $d): void { } }');
changed('made abstract', "class T { public \$a = 1; } $make", 'abstract class T { public $a; }');
changed('made an interface', "class T { } $make", 'interface T { }');
changed('made a trait', "class T { public \$a; } $make", 'trait T { public $a; }');
changed('made an enum', "class T { } $make", 'enum T { case A; }');
changed('gone', "class T { } $make", '');
changed('other case of the name', "class T { public \$a = 1; } $make", 'class t { public $a; }');
changed('enum: case added', "enum T: int { case A = 1; } function make() { return T::A; }", 'enum T: int { case Z = 0; case A = 2; }');
changed('enum: case gone', "enum T { case A; } function make() { return T::A; }", 'enum T { case B; }');
changed('enum: case is a constant now', "enum T { case A; } function make() { return T::A; }", 'enum T { case B; const A = self::B; }');
changed('enum: bad value', "enum T: int { case A = 1; } function make() { return T::A; }", 'enum T: int { case A = NONE; }');
changed('enum: made a class', "enum T { case A; } function make() { return T::A; }", 'class T { const A = 1; }');
changed('an unset property, other default', "class T { public \$a = 1; } function make() { \$t = new T; unset(\$t->a); return \$t; }", 'class T { public $a = "default of now"; }');
changed('bad default', "class T { public \$a = 1; } $make", 'class T { public $a = NONE; }');
--EXPECT--
nothing:                        a hit {"a":1}
a method, a constant, final:    a hit {"a":1}
added:                          a miss
removed:                        a miss
reordered:                      a miss
renamed:                        a miss
retyped:                        a miss
union type:                     a miss
class type:                     a miss
made nullable:                  a miss
visibility:                     a miss
made readonly:                  a miss
other parent:                   a miss
parent without properties:      a miss
the parent's private property:  a miss
moved to the parent:            a miss
__get added:                    a miss
__sleep added:                  a miss
__unserialize added:            a miss
made abstract:                  a miss
made an interface:              a miss
made a trait:                   a miss
made an enum:                   a miss
gone:                           a miss
other case of the name:         a miss
enum: case added:               a hit 2
enum: case gone:                a miss
enum: case is a constant now:   a miss
enum: bad value:                Undefined constant "NONE"
enum: made a class:             a miss
an unset property, other default: a hit {"a":"default of now"}
bad default:                    Undefined constant "NONE"
