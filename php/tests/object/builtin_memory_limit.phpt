--TEST--
larder: object: where memory_limit cannot hold objects that the engine makes, the request ends in order, not at the hard limit
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP');
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use Larder\VolatileCache;

if (($pid = pcntl_fork()) === 0) {
    ini_set('memory_limit', '512M');
    $start = new DateTime('2024-01-01 EST');
    $day = new DateInterval('P1D');
    for ($i = 0; $i < 20000; $i++) $objects[] = $i % 2 ? clone $start : new DatePeriod($start, $day, 3);
    exit(VolatileCache::set('objects', $objects) ? 0 : 1);
}
pcntl_waitpid($pid, $status);
var_dump($status);
register_shutdown_function(function () { ini_set('memory_limit', '512M'); echo count(VolatileCache::get('objects')), "\n"; });
ini_set('memory_limit', (string) (memory_get_usage(true) + 1000000));
VolatileCache::get('objects');
echo "there was memory\n";
--EXPECTF--
int(0)

Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
20000
