--TEST--
larder: queue: a waiting consumer is told that the store's file is gone
--EXTENSIONS--
larder
--INI--
log_errors=0
--FILE--
<?php
$folder = sys_get_temp_dir() . '/larder-gone-' . getmypid();
mkdir($folder, 0700);
file_put_contents("$folder/program.php", <<<'PHP'
    <?php
    use Larder\Queue;
    $q = Queue::open('work');
    var_dump($q->pop());
    array_map('unlink', glob("$argv[1]/larder-*/*-queue*"));
    foreach ([fn() => $q->pop(100), fn() => $q->popMany(5, 100)] as $call) {
        try {
            var_dump($call());
        } catch (Larder\StaticCacheException $e) {
            echo strstr($e->getMessage(), ';', true), "\n";
        }
    }
    PHP);
$modules = preg_match('~/\S+/larder\.so~', file_get_contents('/proc/self/maps'), $m) ? ['-d', "extension=$m[0]"] : [];
passthru(implode(' ', array_map('escapeshellarg', [PHP_BINARY, '-n', ...$modules, '-d', "larder.path=$folder", "$folder/program.php", $folder])));
exec('rm -rf ' . escapeshellarg($folder));
?>
--EXPECT--
NULL
Cannot read a message: the segment file was removed or replaced
Cannot read a message: the segment file was removed or replaced
