--TEST--
larder: fork: child and parent see each other's writes, and keep what they fetched before
--EXTENSIONS--
larder
--INI--
larder.volatile_size=1M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('before', ['x' => str_repeat('a', 500)]);
$v = VolatileCache::get('before');
if (($pid = pcntl_fork()) === 0) {
    VolatileCache::set('child', [getmypid() > 0, $v]);
    for ($i = 0; $i < 3000; $i++) VolatileCache::set("fill$i", str_repeat('z', 600));
    exit($v === ['x' => str_repeat('a', 500)] ? 0 : 1);
}
VolatileCache::delete('before');
pcntl_waitpid($pid, $s);
$child = VolatileCache::get('child');
var_dump($s, $child === null || $child[1] === $v, $v === ['x' => str_repeat('a', 500)]);
--EXPECT--
int(0)
bool(true)
bool(true)
