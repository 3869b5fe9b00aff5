--TEST--
larder: ops: --path takes the store in a file for what it is, and refuses a --store that it is not
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); if (!extension_loaded('session')) die('skip needs sessions'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.compat=apcu -d apc.enable_cli=1", '
    V::set("v", 1); P::set("p", 1); apcu_store("a", 1);
    ini_set("session.save_handler", "larder"); session_save_path("/srv"); session_id("one"); session_start(); $_SESSION["x"] = 1; session_write_close();
    Larder\Queue::open("mail")->push(1);');
$file = fn (string $kind) => glob("$folder/*/app-$kind")[0];
$run = function (string ...$arguments) use ($folder): void {
    echo preg_replace(['~\S+/larder-\d+~', '/, [^,]* used, /', '/[\d.]+ ms/'], ['FOLDER', ' ', '... ms'], str_replace("$folder/plain", 'FOLDER/plain', ops_larder(...$arguments)));
};

echo "-- what it is\n";
foreach (['volatile', 'pinned', 'apcu'] as $kind) {
    $run('keys', '--path', $file($kind));
}
echo preg_match('/^[0-9a-f]{12}$/', $key = ops_larder('keys', '-o', 'age', '--path', $file('session'))), "\n";
$run('keys', '--path', $file('queue'));
echo substr_count(ops_larder('watch', '-c', '1', '-i', '0.01', '-p', $file('pinned')), "\n"), "\n";
foreach (['pinned', 'apcu', 'session', 'queue'] as $kind) {
    rename($file($kind), "$folder/plain");
    rename("$folder/" . basename(dirname($file('volatile'))) . "/app-$kind.lock", "$folder/plain.lock");
    $run('ping', '--path', "$folder/plain");
    rename("$folder/plain", $path = dirname($file('volatile')) . "/app-$kind");
    rename("$folder/plain.lock", "$path.lock");
}

echo "-- a --store that it is not\n";
$run('clear', '--path', $file('volatile'), '-S', 'pinned');
$run('clear', '--path', $file('apcu'), '-S', 'volatile');
$run('keys', '--path', $file('pinned'), '-S', 'nope');
$run('keys', '--path', $file('pinned'), '-S', 'pinned');
$run('keys', '--path', $file('volatile'));
?>
--EXPECT--
-- what it is
v
p
a
1
larder: a store of queues has no entries; "larder queues" lists its queues, as does the tab Queues of the dashboard
exit code 2
2
pinned: up 1 entry, ... ms
volatile: up 1 entry, ... ms
session: up 1 entry, ... ms
queue: up ... ms
-- a --store that it is not
larder: --store pinned: the store in FOLDER/app-volatile is "volatile"
exit code 2
larder: --store volatile: the store in FOLDER/app-apcu is "apcu"
exit code 2
larder: --store nope: one of volatile, pinned, immutable, apcu, session, queue is expected
exit code 2
p
v
