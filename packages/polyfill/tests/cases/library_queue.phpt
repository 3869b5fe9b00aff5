--TEST--
polyfill: with LARDER_SCOPE, processes share the queues and sessions of larder/cache
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
if (!is_file(getenv('LARDER_PROJECT') . '/build/lib/vendor/autoload.php')) die('skip needs what packages/php/tests/run.sh installs');
?>
--FILE--
<?php
use Larder\Laravel\{LarderQueue, LarderSessionHandler};

require getenv('LARDER_PROJECT') . '/build/lib/vendor/autoload.php';
putenv('LARDER_SCOPE=' . $scope = 'library-' . bin2hex(random_bytes(4)));
if (($pid = pcntl_fork()) === 0) {
    (new LarderQueue('jobs'))->pushRaw('{"job":1}');
    (new LarderSessionHandler('site', 60))->write('abc', 'a session');
    exit;
}
pcntl_waitpid($pid, $status);
echo (new LarderQueue('jobs'))->size(), ' ', Larder\Queue::open('jobs')->pop()->body, "\n", (new LarderSessionHandler('site', 60))->read('abc'), "\n";
register_shutdown_function(fn() => array_map('unlink', glob(sys_get_temp_dir() . "/larder-php-*/$scope-*"))); // runs after the shutdown functions in which the stores write their counts
--EXPECT--
1 {"job":1}
a session
