<?php
/* All ways to change a static property: code that changes C::$i, C::$s, C::$a, C::$n or C::$v. A `late` change goes through a reference, so
 * Larder finds it only at the end of the request. */
const CHANGES = [
    'assignment' => ['C::$i = 5;'],
    'assignment of an array' => ['C::$a = [1, [2, [3]]];'],
    'op-assignment' => ['C::$i += 3; C::$i *= 2; C::$i **= 2; C::$i <<= 1;'],
    'coalescing assignment' => ['C::$n ??= 7;'],
    'append to a string' => ['C::$s .= "tail";'],
    'append to a string twice' => ['C::$s .= str_repeat("x", 100); touched(); C::$s .= "end";'],
    'offset of a string' => ['C::$s[0] = "Z";'],
    'increment' => ['C::$i++;'],
    'decrement' => ['--C::$i;'],
    'increment many times' => ['for ($i = 0; $i < 1000; $i++) C::$i++;'],
    'float' => ['C::$v = 0.5; C::$v += 1;'],
    'bool' => ['C::$v = true;'],
    'null' => ['C::$v = null;'],
    'element' => ['C::$a["k"] = 1;'],
    'deep element' => ['C::$a["x"]["y"]["z"] = 2;'],
    'deep elements, one after the other' => ['for ($i = 0; $i < 20; $i++) { C::$a["x"]["y"][$i] = $i; touched(); }'],
    'op-assignment of an element' => ['C::$a["x"]["one"] += 5;'],
    'increment of an element' => ['C::$a["x"]["one"]++;'],
    'append' => ['C::$a[] = 3;'],
    'append many' => ['for ($i = 0; $i < 100; $i++) C::$a[] = [$i];'],
    'unset of an element' => ['unset(C::$a["x"]);'],
    'unset of a deep element' => ['unset(C::$a["x"]["one"]);'],
    'list()' => ['[C::$i, C::$s] = [8, "q"];'],
    'list() with keys' => ['["k" => C::$v, "l" => ["m" => C::$i]] = ["k" => 9, "l" => ["m" => 10]];'],
    'list() into an element' => ['[C::$a["p"], C::$a["x"]["q"]] = [1, 2];'],
    'swap' => ['[C::$v, C::$a] = [C::$a, [C::$v]];'],
    'foreach into it' => ['foreach ([1, 2, 3] as C::$i);'],
    'foreach into an element' => ['foreach ([1, 2, 3] as C::$a["f"] => C::$a["g"]);'],
    'foreach by reference' => ['foreach (C::$a as &$element) $element = 1; unset($element);', 'late'],
    'foreach by reference of a deep element' => ['foreach (C::$a["x"] as $key => &$element) $element = $key;', 'late'],
    'by-reference argument' => ['bump(C::$i);', 'late'],
    'by-reference argument, an element' => ['bump(C::$a["x"]["one"]);', 'late'],
    'sort()' => ['sort(C::$a["l"]); rsort(C::$a);', 'late'],
    'array_push(), array_pop(), array_splice()' => ['array_push(C::$a["l"], 5, 6); array_pop(C::$a["l"]); array_splice(C::$a["l"], 1, 1, ["in"]);', 'late'],
    'array_walk()' => ['array_walk(C::$a["l"], function (&$v, $k) { $v = "$k!"; });', 'late'],
    'preg_match()' => ['preg_match("/(b)(c)/", "abcd", C::$v);', 'late'],
    'settype()' => ['settype(C::$v, "string");', 'late'],
    'by-reference variable' => ['$r = &C::$i; $r = 11;', 'late'],
    'by-reference variable, after safe points' => ['$r = &C::$i; touched(); for ($i = 0; $i < 10; $i++) $r++; touched();', 'late'],
    'by-reference variable of an element' => ['$r = &C::$a["x"]["one"]; touched(); $r = "deep";', 'late'],
    'an element becomes a reference' => ['$r = 1; C::$a["ref"] = &$r; touched(); $r = 2;', 'late'],
    'it becomes a reference' => ['$r = 21; C::$i = &$r; touched(); $r = 22;', 'late'],
    'a function that returns a reference' => ['function &ref() { return C::$i; } $r = &ref(); touched(); $r = 15;', 'late'],
    'extract()' => ['$i = &C::$i; extract(["i" => 12]);', 'late'],
    'global' => ['$GLOBALS["g"] = &C::$v; function globally() { global $g; $g = "from a global"; } globally();', 'late'],
    'reflection' => ['(new ReflectionProperty("C", "i"))->setValue(null, 13);'],
    'reflection of a class' => ['(new ReflectionClass("C"))->setStaticPropertyValue("s", "reflected");'],
    'static:: from a child' => ['D::set(14); D::add("k", 1);'],
    'the child\'s name' => ['D::$i = 16; D::$a["x"]["d"] = 1;'],
    'a class in a variable' => ['$c = "C"; $c::$i = 17; $n = "v"; $c::$$n = 18;'],
    'an object' => ['$o = new D; $o::$i = 19;'],
    'a closure' => ['$f = fn() => C::$i = 20; $f(); (function () { static::$v = 21; })->bindTo(null, "C")();'],
    'a generator' => ['$g = (function () { for (;;) { C::$i++; yield; } })(); foreach ([1, 2, 3] as $_) $g->next();'],
    'a fiber' => ['$f = new Fiber(function () { C::$i = 22; Fiber::suspend(); C::$a["x"]["f"] = 1; }); $f->start(); touched(); $f->resume();'],
    'a callback of an internal function' => ['array_map(function ($x) { C::$a[] = $x; }, [1, 2, 3]);'],
    'include and eval' => ['eval("C::\$i = 23;");'],
    'an exception' => ['try { C::$i = 24; throw new Exception; } catch (Exception) { C::$v = 25; } finally { C::$s = "finally"; }'],
    'a destructor' => ['$o = new class { function __destruct() { C::$i = 26; } }; unset($o);'],
    'private, from inside' => ['C::hide(["deep" => [1]]);'],
    'a property with a type' => ['C::$i = "27"; C::$v = C::$i;'],
];
function touched() {}
function bump(&$x) { $x = $x . "bumped" === "1bumped" ? 100 : 200; }
const STATICS = <<<'CODE'
    class C {
        ATTRIBUTE public static int $i = 1;
        ATTRIBUTE public static string $s = 'abc';
        ATTRIBUTE public static array $a = ['x' => ['one' => 1, 'y' => []], 'l' => [3, 1, 2]];
        ATTRIBUTE public static ?int $n = null;
        ATTRIBUTE public static $v = 'mixed';
        ATTRIBUTE private static array|null|float $hidden = null;
        static function hide($x) { self::$hidden = $x; self::$hidden['more'][] = 1; }
        static function all() { return [self::$i, self::$s, self::$a, self::$n, self::$v, self::$hidden]; }
    }
    class D extends C { static function set($i) { static::$i = $i; } static function add($k, $v) { static::$a[$k] = $v; } }
    CODE;

function every_change(string $attribute, bool $kill): void
{
    $plain = source('plain', str_replace('ATTRIBUTE', '', STATICS));
    $wrong = $seen = 0;
    foreach (CHANGES as $name => $change) {
        if ($kill && isset($change[1])) {
            continue;
        }
        $file = source('c' . crc32($name), str_replace('ATTRIBUTE', $attribute, STATICS) . "\n/* $name */");
        $wanted = request("require '$plain'; {$change[0]} return C::all();");
        $done = request("require '$file'; {$change[0]} touched(); return C::all();", $kill);
        $found = request("require '$file'; return C::all();");
        $again = request("require '$file'; return C::all();");
        $same = serialize($wanted) === serialize($done) && serialize($found) === serialize($done) && serialize($again) === serialize($done);
        if (!$same || $wanted === null) {
            $wrong++;
            echo "$name: ", json_encode($wanted), ' is ', json_encode($done), ' and then ', json_encode($found), ' ', json_encode($again), "\n";
        }
        $seen++;
    }
    echo $seen > 40 - 18 * $kill ? 'many' : $seen, " changes, $wrong wrong\n";
}
