--TEST--
larder: queue: a message whose body does not fit into memory_limit is buried when its process ends, also if a hook takes too much
--EXTENSIONS--
larder
--FILE--
<?php
$folder = sys_get_temp_dir() . '/larder-large-' . getmypid();
mkdir($folder, 0700);
file_put_contents("$folder/program.php", <<<'PHP'
    <?php
    use Larder\Queue;
    class Hooked
    {
        public function __serialize(): array { return []; }
        public function __unserialize(array $data): void { str_repeat('x', 100000000); }
    }
    $q = Queue::open('work');
    if ($argv[1] === 'push') {
        $q->push(new Hooked());
        $q->push(array_map(fn () => new ArrayObject(), range(1, 30000)));
    } elseif ($argv[1] === 'pop') {
        ini_set('memory_limit', '6M');
        ini_set('fatal_error_backtraces', '0'); // of PHP 8.5
        $q->pop();
    }
    $info = $q->info();
    echo "$info->ready ready, $info->reserved reserved, $info->buried buried\n";
    PHP);
$modules = preg_match('~/\S+/larder\.so~', file_get_contents('/proc/self/maps'), $m) ? ['-d', "extension=$m[0]"] : [];
foreach (['push', 'pop', 'look', 'pop', 'look'] as $what) {
    passthru(implode(' ', array_map('escapeshellarg', [PHP_BINARY, '-n', ...$modules, '-d', "larder.path=$folder", '-d', 'larder.scope=large', '-d', 'larder.queue_size=64M', "$folder/program.php", $what])));
}
exec('rm -rf ' . escapeshellarg($folder));
?>
--EXPECTF--
2 ready, 0 reserved, 0 buried
%AFatal error: Allowed memory size of 6291456 bytes exhausted %s
1 ready, 0 reserved, 1 buried
%AFatal error: Allowed memory size of 6291456 bytes exhausted %s
0 ready, 0 reserved, 2 buried
