--TEST--
larder: fork: children of children, and proc_open inside a request
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', ['deep' => str_repeat('d', 400)]);
$v = VolatileCache::get('k');
if (($a = pcntl_fork()) === 0) {
    if (($b = pcntl_fork()) === 0) { $w = VolatileCache::get('k'); VolatileCache::set('grandchild', $v === $w); exit(0); }
    pcntl_waitpid($b, $s); exit($s);
}
pcntl_waitpid($a, $s);
$p = proc_open(['sh', '-c', 'exit 7'], [], $pipes); while (proc_get_status($p)['running']) usleep(1000);
var_dump($s, VolatileCache::get('grandchild'), $v === VolatileCache::get('k'), strlen(shell_exec('echo hello')));
--EXPECT--
int(0)
bool(true)
bool(true)
int(6)
