--TEST--
larder: errors: an object of a class that is gone is a miss, and the entry stays
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

if (($pid = pcntl_fork()) === 0) { eval('class Gone { public $x = 5; }'); VolatileCache::set('k', ['o' => new Gone]); exit; }
pcntl_waitpid($pid, $s);
var_dump(VolatileCache::get('k', 'default'), VolatileCache::has('k'));
eval('class Gone { public $x = 6; }');
var_dump(VolatileCache::get('k')['o']->x);
--EXPECT--
string(7) "default"
bool(false)
int(5)
