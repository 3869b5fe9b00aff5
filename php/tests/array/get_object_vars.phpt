--TEST--
larder: array: tables of other origins: object vars, $GLOBALS, func_get_args, array casts
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

#[AllowDynamicProperties] class C { public $a = 1; protected $b = [2]; private $c = 'x'; public int $uninit; public $d; function vars() { return get_object_vars($this); } }
$c = new C; unset($c->d); $c->dynamic = 'later';
VolatileCache::set('vars', $c->vars());
echo json_encode(VolatileCache::get('vars')), "\n";
VolatileCache::set('cast', (array) $c);
var_dump(VolatileCache::get('cast') === (array) $c);
function args() { return func_get_args(); }
VolatileCache::set('args', args(1, 'two', [3]));
echo json_encode(VolatileCache::get('args')), "\n";
$plain = array_filter($GLOBALS, 'is_scalar');
VolatileCache::set('globals', $plain);
var_dump(VolatileCache::get('globals') === $plain);
function locals() { $x = 1; $y = [2]; $undefined; return get_defined_vars(); }
VolatileCache::set('locals', locals());
echo json_encode(VolatileCache::get('locals')), "\n";
VolatileCache::set('split', ['a' => explode(',', 'x,y,z'), 'c' => array_combine(['p', 'q'], [1, 2]), 'server' => array_map('strlen', ['one' => '1'])]);
echo json_encode(VolatileCache::get('split')), "\n";
--EXPECT--
{"a":1,"b":[2],"c":"x","dynamic":"later"}
bool(true)
[1,"two",[3]]
bool(true)
{"x":1,"y":[2]}
{"a":["x","y","z"],"c":{"p":1,"q":2},"server":{"one":1}}
