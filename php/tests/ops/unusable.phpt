--TEST--
larder: ops: ping and stats name unusable stores, and their exit code shows them; stores that are switched off are no error
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); if (!extension_loaded('session')) die('skip needs sessions'); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$fpm = fpm([
    'meant' => ['php_admin_value[larder.pinned_size]' => '0'],
    'bad' => ['php_admin_value[larder.volatile_size]' => '8MB', 'php_admin_value[larder.pinned_size]' => '1T', 'php_admin_value[larder.session_size]' => '0'],
    'off' => ['php_admin_value[larder.enable]' => '0'],
]);
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));
$ask = function (string ...$arguments) use ($folder): void {
    $text = ops_larder(...$arguments);
    $json = json_decode((string) preg_replace('/\nexit code \d+\n$/', '', $text), true);
    $text = $json !== null ? implode(' ', array_keys($json['stores'])) . (preg_match('/exit code \d+\n$/', $text, $match) ? ", $match[0]" : "\n") : $text;
    echo preg_replace(['~\S+/larder-\d+~', '/: up, .*/', '/ABI php[\w,]+/', '/fit the .*/'], ['FOLDER', ': up', 'ABI php...', 'fit ...'], $text);
};
$of = fn (string $pool): array => ['--fpm', $fpm->socket($pool), '--fpm-file', $program];
$up = function (string ...$arguments): void {
    $text = ops_larder('stats', '--openmetrics', ...$arguments);
    preg_match_all('/^larder_up\{store="(\w+)".*\} ([01])$/m', $text, $found);
    echo implode(', ', array_map(fn (string $store, string $is): string => "$store $is", $found[1], $found[2])), str_contains($text, 'exit code') ? ', exit code' : '', "\n";
};

echo "-- a pool without a pinned store\n";
$ask('ping', ...$of('meant'));
$ask('ping', '-S', 'pinned', ...$of('meant'));
$ask('stats', '-j', ...$of('meant'));
preg_match_all('/^(larder: )?\w+/m', ops_larder('stats', ...$of('meant')), $lines);
echo implode(' ', $lines[0]), "\n";
$ask('stats', '-S', 'pinned', ...$of('meant'));
$ask('stats', '-S', 'immutable', ...$of('meant'));
preg_match('/note +stores +(.*)/', ops_larder('doctor', ...$of('meant')), $note);
echo $note[1] ?? 'no note', "\n";
echo "-- a pool with two bad sizes\n";
$ask('ping', ...$of('bad'));
$ask('stats', '-j', ...$of('bad'));
$up(...$of('bad'));
echo "-- a pool that is off\n";
$ask('ping', '-S', 'volatile', ...$of('off'));
$up(...$of('off'));

echo "-- a damaged file, another PHP's, bytes of any PHP\n";
ops_php("-d larder.path=$folder -d larder.scope=app", 'V::set("v", 1); P::set("p", 1); Larder\Queue::open("q"); Larder\Inspector::own("session");');
$in = ['--folder', $folder, '--scope', 'app'];
$ask('ping', ...$in);
ops_other_abi($volatile = glob("$folder/*/app-volatile")[0]);
file_put_contents(glob("$folder/*/app-pinned")[0], 'no store');
$ask('ping', ...$in);
$ask('ping', '-S', 'session', ...$in);
$ask('stats', '-j', ...$in);
$up(...$in);
echo preg_replace('/ABI php[\w,]+/', 'ABI php...', strstr(ops_larder('stats', '--path', $volatile), '  values'));
ops_other_abi($volatile, 'ruby,codec1');
$ask('ping', '--path', $volatile);
?>
--EXPECT--
-- a pool without a pinned store
volatile: up
session: up
queue: up
larder: pinned: the pinned store is off: larder.pinned_size is 0
exit code 1
volatile session queue
volatile session queue
larder: pinned: the pinned store is off: larder.pinned_size is 0
exit code 1
larder: immutable: the immutable store is off: larder.compat does not switch on immutable_cache (phpinfo() says why)
exit code 1
pinned is switched off: larder.pinned_size is 0
-- a pool with two bad sizes
queue: up
larder: volatile: the volatile store is off: larder.volatile_size = "8MB": must be 0 or a size from 1M to 1T: write 8M
larder: pinned: the pinned store is off: LRD_ENOSPC: no space on the file system of the segment; free some or choose another: anonymous segment: a store of 1048576 MiB does not fit ...
exit code 1
queue, exit code 1
queue 1, volatile 0, pinned 0, immutable 0, apcu 0, session 0
-- a pool that is off
larder: volatile: the volatile store is off: larder.enable is 0
exit code 1
volatile 0, pinned 0, immutable 0, apcu 0, session 0, queue 0
-- a damaged file, another PHP's, bytes of any PHP
volatile: up
pinned: up
session: up
queue: up
session: up
queue: up
larder: volatile: of another PHP (ABI php...): not read
larder: pinned: LRD_EFORMAT: not a larder segment, or damaged: FOLDER/app-pinned: is not a larder segment; it was left as it is
exit code 1
session: up
volatile session queue, exit code 1
volatile 0, session 1, queue 1, pinned 0
  values    of another PHP (ABI php...): not read

exit code 1
larder: volatile: not of PHP (ABI ruby,codec1): not read
exit code 1