--TEST--
larder: errors: an object of a class that is gone comes back incomplete, as from unserialize
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
var_dump(get_class(VolatileCache::get('k')['o']));
--EXPECT--
string(22) "__PHP_Incomplete_Class"
