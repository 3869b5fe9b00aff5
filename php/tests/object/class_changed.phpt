--TEST--
larder: object: an object of a changed class is a miss, and the entry stays for processes with the old class
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
    child(function () use ($old) {
        eval($old);
        foreach (['k' => 'ready', 'packed' => 'packed'] as $key => $form) VolatileCache::set($key, ['v' => make(), 'text' => str_repeat('x', 100)], form: $form);
    });
    echo str_pad("$what: ", 32);
    child(function () use ($new) {
        eval($new);
        try { $got = VolatileCache::get('k', 'a miss'); } catch (Error $e) { $got = $e->getMessage(); }
        try { $packed = VolatileCache::get('packed', 'a miss'); } catch (Error $e) { $packed = $e->getMessage(); }
        echo json_encode($packed) === json_encode($got) ? '' : 'packed: ' . json_encode($packed) . ', ready: ';
        echo is_array($got) ? 'a hit ' . json_encode($got['v']) : $got, VolatileCache::has('k') === ($got !== 'a miss') ? '' : ', has() differs from get()';
    });
    child(function () use ($old) { eval($old); echo is_array(VolatileCache::get('k')) ? "\n" : ", and the old is lost\n"; });
}
function held(string $what, string $old, string $new): void
{
    $holder = 'class H { public ?T $t = null; function __construct(?T $t = null) { $this->t = $t; } }';
    changed($what, "$old $holder function make() { return new H(new V); }", "$new $holder");
}
$make = ' function make() { return new T; }';
$hooks = 'function __serialize(): array { return [1]; } function __unserialize(array $d): void { }';
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
changed('now has a default', "class T { public int \$a; } $make", 'class T { public int $a = 5; }');
changed('an interface added', "class T { } $make", 'interface I { } class T implements I { }');
changed('interfaces in another order', "interface I { } interface J { } class T implements I, J { } $make", 'interface I { } interface J { } class T implements J, I { }');
changed('made a readonly class', "#[AllowDynamicProperties] class T { } function make() { \$t = new T; \$t->added = 1; return \$t; }", 'readonly class T { }');
changed('no dynamic properties', "#[AllowDynamicProperties] class T { } function make() { \$t = new T; \$t->added = 1; return \$t; }", 'class T { }');
changed('hooks, the same', "class P { } class T extends P { $hooks } $make", "class P { public \$p; } class T extends P { public \$new; $hooks }");
changed('hooks, lost its parent', "class P { } class T extends P { $hooks } $make", "class P { } class T { $hooks }");
changed('hooks, lost an interface', "interface I { } class T implements I { $hooks } $make", "interface I { } class T { $hooks }");
changed('enum: lost an interface', "interface I { } enum T implements I { case A; } function make() { return T::A; }", 'interface I { } enum T { case A; }');
held('holds the same', 'interface T { } class V implements T { }', 'interface T { } class V implements T { }');
held('no longer one', 'interface T { } class V implements T { }', 'interface T { } class V { }');
held('its parent no longer one', 'interface T { } class P implements T { } class V extends P { }', 'interface T { } class P { } class V extends P { }');
held('its interface no longer one', 'interface T { } interface U extends T { } class V implements U { }', 'interface T { } interface U { } class V implements U { }');
held('no longer one, hooks', "class T { } class V extends T { $hooks }", "class T { } class V { $hooks }");
held('no longer one, a date', 'interface T { } class V extends DateTime implements T { }', 'interface T { } class V extends DateTime { }');
held('the same alias', 'class V { } class_alias("V", "T");', 'class V { } class_alias("V", "T");');
held('the same alias, autoloaded', 'class V { } class_alias("V", "T");', 'class V { } spl_autoload_register(fn($c) => $c === "T" && class_alias("V", "T"));');
held('no alias any more', 'class V { } class_alias("V", "T");', 'class V { } class T { }');
held('no alias is there', 'class V { } class_alias("V", "T");', 'class V { }');
held('an alias of another', 'class V { } class_alias("V", "T");', 'class V { } class W { } class_alias("W", "T");');
held('an alias now', 'class T { } class V extends T { }', 'class U { } class_alias("U", "T"); class V extends T { }');
held('an alias of what it was', 'interface U { } class_alias("U", "T"); class V implements U { }', 'interface U { } class_alias("U", "T"); class V { }');
changed('an alias in a union', 'class V { } class_alias("V", "T"); class H { public int|T|null $t = 1; } function make() { $h = new H; $h->t = new V; return $h; }', 'class V { } class W { } class_alias("W", "T"); class H { public int|T|null $t = 1; }');
changed('an alias that came late', 'class V { } class H { public ?T $t = null; } \\Larder\\VolatileCache::set("h", [new H]); class_alias("V", "T"); function make() { $h = new H; $h->t = new V; return $h; }', 'class V { } class T { } class H { public ?T $t = null; }');
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
now has a default:              a miss
an interface added:             a miss
interfaces in another order:    a hit {}
made a readonly class:          a miss
no dynamic properties:          a miss
hooks, the same:                a hit {"p":null,"new":null}
hooks, lost its parent:         a miss
hooks, lost an interface:       a miss
enum: lost an interface:        a miss
holds the same:                 a hit {"t":{}}
no longer one:                  a miss
its parent no longer one:       a miss
its interface no longer one:    a miss
no longer one, hooks:           a miss
no longer one, a date:          a miss
the same alias:                 a hit {"t":{}}
the same alias, autoloaded:     a hit {"t":{}}
no alias any more:              a miss
no alias is there:              a miss
an alias of another:            a miss
an alias now:                   a miss
an alias of what it was:        a miss
an alias in a union:            a miss
an alias that came late:        a miss
bad default:                    Undefined constant "NONE"
