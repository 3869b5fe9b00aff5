--TEST--
larder: session: a damaged packed session fails once, is counted as a miss, and ends
--EXTENSIONS--
larder
session
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$folder = sys_get_temp_dir() . '/larder-test-' . getmypid();
mkdir($folder, 0700);
function php(string $code): void
{
    global $so, $folder;
    $command = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$so", '-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=s', '-d', 'larder.form=packed',
        '-d', 'larder.session_size=2M', '-d', 'session.save_handler=larder', '-d', 'session.save_path=', '-d', 'session.use_cookies=0', '-d', 'session.cache_limiter=', '-d', 'session.use_strict_mode=0', '-d', 'html_errors=0', '-r',
        'ob_start(); set_error_handler(function ($level, $text) { echo $text, "\n"; return true; });
        function stats(): array { return Larder\Inspector::own("session")->stats(); }
        function begin(string $id): bool { session_id($id); return session_start(); }' . $code];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    echo stream_get_contents($pipes[1]), stream_get_contents($pipes[2]);
    proc_close($process);
}

php('foreach (["hurt", "torn", "well"] as $id) {
    begin($id);
    $_SESSION = ["name" => "MARKED 0123456789 of $id", "cart" => array_fill(0, 40, ["id" => 7, "title" => "a product"])];
    session_write_close();
}
var_dump(array_column(Larder\Inspector::own("session")->entries(), "form"));');

/* Find the text in the file. The packed bytes contain it uncompressed. */
$handle = fopen(glob("$folder/larder-*/s-session")[0], 'r+');
foreach (['hurt', 'torn'] as $id) {
    for ($at = 0, $found = false; $found === false && !feof($handle); $at += 1 << 20) {
        fseek($handle, $at);
        $found = strpos((string) stream_get_contents($handle, (1 << 20) + 64), "MARKED 0123456789 of $id");
    }
    fseek($handle, $at - (1 << 20) + $found + 3);
    fwrite($handle, 'J');
}
fclose($handle);

php('echo json_encode(Larder\Inspector::own("session")->fsck()), "\n";
$before = stats()["misses"];
var_dump(begin("hurt"), $_SESSION ?? null, stats()["misses"] - $before);');
echo "next request:\n";
php('$before = stats()["misses"];
var_dump(begin("hurt"), $_SESSION, session_id() === "hurt");
$_SESSION["name"] = "new";
session_write_close();
echo json_encode(Larder\Inspector::own("session")->fsck()), "\n";
begin("hurt"); var_dump(session_id() === "hurt", $_SESSION); session_write_close();
var_dump(begin("well"), $_SESSION["name"]);');
echo "Sessions::read():\n";
php('$before = stats()["misses"];
try { Larder\Sessions::read("torn"); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
var_dump(stats()["misses"] - $before, Larder\Sessions::read("torn"));
Larder\Sessions::write("torn", "new", 60);
var_dump(Larder\Sessions::read("torn"));');
array_map('unlink', glob("$folder/larder-*/*")); array_map('rmdir', glob("$folder/larder-*")); rmdir($folder);
?>
--EXPECTF--
array(3) {
  [0]=>
  string(6) "packed"
  [1]=>
  string(6) "packed"
  [2]=>
  string(6) "packed"
}
["shard %d: slot %d has a packed value that is damaged","shard %d: slot %d has a packed value that is damaged"]
session_start(): The session cannot be read: not a larder segment, or damaged: the sum of a packed value is wrong
session_start(): Failed to read session data: larder (path: )
bool(false)
array(0) {
}
int(1)
next request:
bool(true)
array(0) {
}
bool(true)
["shard %d: slot %d has a packed value that is damaged"]
bool(true)
array(1) {
  ["name"]=>
  string(3) "new"
}
bool(true)
string(25) "MARKED 0123456789 of well"
Sessions::read():
The session cannot be read: not a larder segment, or damaged
int(1)
NULL
string(3) "new"
