--TEST--
larder: immutable_cache: every type comes back; misses, lists of keys, other keys
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
class Point { public function __construct(public int $x, public ?Point $next = null) {} }
class Bad { public function __unserialize(array $data): void { throw new RuntimeException('no'); } public function __serialize(): array { return []; } }
enum Suit { case Hearts; }
foreach (['n' => null, 't' => true, 'f' => false, 'i' => PHP_INT_MIN, 'd' => 1.5, 'es' => '', 's' => 'short', 'l' => str_repeat('long', 100), 'ea' => [], 'a' => [1, 'x' => ['y' => 'z']], 'e' => Suit::Hearts] as $key => $value) {
    immutable_cache_add($key, $value);
    if (immutable_cache_fetch($key, $success) !== $value || $success !== true) echo "$key differs\n";
}
$p = new Point(1, new Point(2)); $p->next->next = $p;
immutable_cache_add('o', $p);
$o = immutable_cache_fetch('o'); var_dump($o !== $p, $o->next->next === $o, $o->next->x); $again = immutable_cache_fetch("o"); var_dump($again !== $o);
$p->next->next = $o->next->next = $again->next->next = null; /* no cycles are left */
var_dump(immutable_cache_fetch('miss', $success), $success);
var_dump(immutable_cache_fetch(''), immutable_cache_fetch(str_repeat('k', 70000)));
immutable_cache_add('12', 'twelve');
var_dump(immutable_cache_fetch(12), immutable_cache_exists(12));
try { immutable_cache_fetch(new stdClass); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(immutable_cache_fetch(['i', 'miss', '12', 's'], $success), $success);
var_dump(immutable_cache_fetch(['s', 12, null]));
immutable_cache_add('bad', new Bad);
try { immutable_cache_fetch('bad', $untouched); } catch (RuntimeException $e) { echo $e->getMessage(), "\n"; var_dump($untouched); }
try { immutable_cache_fetch(['s', 'bad', 'i']); } catch (RuntimeException $e) { echo $e->getMessage(), "\n"; }
$a = immutable_cache_fetch('a'); $a['x']['y'] = 'mine'; var_dump(immutable_cache_fetch('a')['x']['y']);
--EXPECTF--
bool(true)
bool(true)
int(2)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
string(6) "twelve"
bool(true)
Object of class stdClass could not be converted to string
array(3) {
  ["i"]=>
  int(-9223372036854775808)
  [12]=>
  string(6) "twelve"
  ["s"]=>
  string(5) "short"
}
bool(true)

Warning: immutable_cache_fetch(): immutable_cache_fetch() expects a string or array of strings. in %s on line %d

Warning: immutable_cache_fetch(): immutable_cache_fetch() expects a string or array of strings. in %s on line %d
array(1) {
  ["s"]=>
  string(5) "short"
}
no
NULL
no
string(1) "z"
