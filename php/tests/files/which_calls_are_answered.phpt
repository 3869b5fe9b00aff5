--TEST--
larder: files: which calls and which files are answered from memory
--EXTENSIONS--
larder
--INI--
larder.file_cache=1
larder.file_cache_max_size=100K
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
$file = "$folder/file";
$text = str_repeat("a line\0\n", 2000);
file_put_contents($file, $text);
keep($file);

echo "-- calls\n";
$calls = [
    'the path' => fn () => file_get_contents($file),
    'defaults' => fn () => file_get_contents($file, false, null, 0, null),
    'by name' => fn () => file_get_contents(filename: $file, length: null),
    'an offset' => fn () => file_get_contents($file, false, null, 5),
    'offset 0' => fn () => file_get_contents($file, offset: 0),
    'a length' => fn () => file_get_contents($file, false, null, 0, 10),
    'a context' => fn () => file_get_contents($file, false, stream_context_create()),
    'the include path' => fn () => file_get_contents($file, true),
    'a callback' => fn () => array_map('file_get_contents', [$file])[0],
    'file://' => fn () => file_get_contents("file://$file"),
    'php://filter' => fn () => file_get_contents("php://filter/read=string.rot13/resource=$file"),
    'relative' => fn () => chdir($folder) ? file_get_contents('file') : '',
    'two slashes' => fn () => file_get_contents("$folder//file"),
    'a dot' => fn () => file_get_contents("$folder/./file"),
];
foreach ($calls as $what => $call) {
    $hits = Larder\FileCache::info()->hits;
    $got = $call();
    $good = $got === match ($what) { 'an offset' => substr($text, 5), 'a length' => substr($text, 0, 10), 'php://filter' => str_rot13($text), default => $text };
    echo $what, ': ', Larder\FileCache::info()->hits > $hits ? 'hit' : 'read', $good ? '' : ' WRONG', "\n";
}

echo "-- files\n";
file_put_contents("$folder/large", str_repeat('x', 102400));
file_put_contents("$folder/larger", str_repeat('x', 102401));
file_put_contents("$folder/empty", '');
keep("$folder/large");
foreach (["$folder/large", "$folder/larger", "$folder/empty", '/proc/self/stat', '/proc/version', '/proc/self/cmdline', '/sys/kernel/mm/transparent_hugepage/enabled', '/dev/null', $folder] as $path) {
    @file_get_contents($path);
    usleep(30000);
    @file_get_contents($path);
    echo str_replace($folder, '', $path), ': ', hit($path) ? 'hit' : 'read', "\n";
}

echo "-- a file that changed a moment ago, whose writer may not have finished\n";
file_put_contents("$folder/young", 'young');
usleep(200000);
file_get_contents("$folder/young");
echo hit("$folder/young") ? 'hit' : 'read', ', ';
keep("$folder/young");
$f = fopen("$folder/young", 'r+');
fwrite($f, 'Y');
usleep(500000);
file_get_contents("$folder/young");
echo hit("$folder/young") ? 'hit' : 'read', "\n";

echo "-- errors are PHP's\n";
try { file_get_contents("$file\0"); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
try { file_get_contents(); } catch (ArgumentCountError $e) { echo $e->getMessage(), "\n"; }
try { file_get_contents($file, false, null, 0, -1); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
same('too long', $folder . str_repeat('/x', 3000));

echo "-- a wrapper for plain files\n";
class Mine
{
    public $context;
    private $done = false;
    function stream_open($path, $mode, $options, &$opened) { return true; }
    function stream_read($count) { [$done, $this->done] = [$this->done, true]; return $done ? '' : 'from the wrapper'; }
    function stream_eof() { return $this->done; }
    function stream_stat() { return []; }
}
stream_wrapper_unregister('file');
stream_wrapper_register('file', 'Mine');
echo file_get_contents($file), "\n";
stream_wrapper_restore('file');
var_dump(hit($file));
--SKIPIF--
<?php if (!function_exists('pcntl_fork') || !function_exists('posix_kill')) die('skip needs posix and pcntl'); ?>
--EXPECTF--
-- calls
the path: hit
defaults: hit
by name: hit
an offset: read
offset 0: hit
a length: read
a context: read
the include path: read
a callback: hit
file://: read
php://filter: read
relative: read
two slashes: read
a dot: read
-- files
/large: hit
/larger: read
/empty: read
/proc/self/stat: read
/proc/version: read
/proc/self/cmdline: read
/sys/kernel/mm/transparent_hugepage/enabled: read
/dev/null: read
: read
-- a file that changed a moment ago, whose writer may not have finished
read, read
-- errors are PHP's
file_get_contents(): Argument #1 ($filename) must not contain any null bytes
file_get_contents() expects at least 1 argument, 0 given
file_get_contents(): Argument #5 ($length) must be greater than or equal to 0
too long: %s
-- a wrapper for plain files
from the wrapper
bool(true)
