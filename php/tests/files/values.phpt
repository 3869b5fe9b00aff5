--TEST--
larder: files: contents that were read stay unchanged while the file and the store change, and may be used like any string
--EXTENSIONS--
larder
--INI--
larder.file_cache=1
larder.volatile_size=1M
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
$file = "$folder/file";
file_put_contents($file, str_repeat('0123456789', 500));
keep($file);
$kept = file_get_contents($file);
file_put_contents($file, str_repeat('x', 100));
Larder\VolatileCache::clear();
for ($i = 0; $i < 500; $i++) Larder\VolatileCache::set("k$i", str_repeat("$i", 3000));
var_dump($kept === str_repeat('0123456789', 500));
$copy = $kept;
$copy[0] = 'X';
$copy .= 'more';
var_dump($kept[0], strlen($copy), isset([$kept => 1][$kept]), crc32($kept) === crc32(str_repeat('0123456789', 500)));
static $still = [];
$still[] = $kept;
/* Read more values than a request may hold. The last values are copies. */
for ($i = 0; $i < 1500; $i++) file_put_contents("$folder/$i", "file $i");
usleep(1100000);
$all = [];
for ($round = 0; $round < 3; $round++) for ($i = 0; $i < 1500; $i++) $all[$round][$i] = file_get_contents("$folder/$i");
$wrong = 0;
for ($round = 0; $round < 3; $round++) for ($i = 0; $i < 1500; $i++) $wrong += $all[$round][$i] !== "file $i";
var_dump($wrong);
/* Other APIs do not show the keys of the file cache. */
try { Larder\VolatileCache::set("\0lrdf", 1); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
var_dump(preg_grep('/lrd/', iterator_to_array((fn () => yield from Larder\VolatileCache::keys())())));
$info = Larder\FileCache::info();
var_dump($info->enabled, $info->entry_count > 0, $info->bytes > 0, $info->hits > 0, $info->misses > 0, $info->revalidations > 0);
--EXPECT--
bool(true)
string(1) "0"
int(5004)
bool(true)
bool(true)
int(0)
Larder\VolatileCache::set(): Argument #1 ($key) must not begin with "\0lrd", which is reserved
array(0) {
}
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
