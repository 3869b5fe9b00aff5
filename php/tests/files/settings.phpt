--TEST--
larder: files: larder.file_cache_ttl, _revalidate, _max_size; an invalid value is refused by name; without larder.file_cache no file is kept
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
for ($i = 0; $i < 20; $i++) file_put_contents("$folder/file$i", 'one');
usleep(1100000); /* the cache keeps no file that changed less than a second ago */
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$run = function (string $settings, string $code) use ($php, $so, $folder): void {
    static $files = 0;
    echo "-- $settings\n";
    file_put_contents("$folder/code.php", '<?php require ' . var_export(__DIR__ . '/../include/files.php', true) . "; \$folder = '$folder'; \$file = '$folder/file" . $files++ . "'; $code");
    $flags = implode(' ', array_map(fn ($s) => '-d ' . escapeshellarg($s), array_filter(explode(' ', $settings))));
    echo trim((string) shell_exec("$php -n -d extension=$so $flags " . escapeshellarg("$folder/code.php") . ' 2>&1')), "\n";
};
$run('', 'for ($i = 0; $i < 5; $i++) file_get_contents($file); var_dump(hit($file), Larder\FileCache::info()->enabled, Larder\FileCache::info()->entry_count);');
$run('larder.file_cache=1 larder.file_cache_revalidate=-1', 'keep($file); file_put_contents($file, "two"); echo file_get_contents($file), " "; var_dump(Larder\FileCache::invalidate($file), Larder\FileCache::invalidate($file), Larder\FileCache::invalidate("relative")); echo file_get_contents($file), "\n"; unlink($file); keep("$folder/code.php"); echo Larder\FileCache::info()->revalidations;');
$run('larder.file_cache=1 larder.file_cache_revalidate=-1 larder.file_cache_ttl=1', 'keep($file); file_put_contents($file, "two"); usleep(1500000); echo file_get_contents($file);');
$run('larder.file_cache=1 larder.file_cache_revalidate=10000000', 'keep($file); file_get_contents($file); file_put_contents($file, "two"); echo file_get_contents($file), " ", Larder\FileCache::info()->revalidations;');
$run('larder.file_cache=1 larder.file_cache_revalidate=1', 'keep($file); file_put_contents($file, "two"); usleep(50000); echo file_get_contents($file);');
$run('larder.file_cache=1 larder.file_cache_max_size=2', 'file_get_contents($file); var_dump(hit($file));');
$run('larder.file_cache=1 larder.volatile_size=0', 'echo file_get_contents($file); var_dump(hit($file), Larder\FileCache::info()->enabled);');
foreach (['file_cache=yes,please', 'file_cache_ttl=-1', 'file_cache_revalidate=-2', 'file_cache_max_size=lots'] as $bad)
    $run("larder.$bad", 'echo file_get_contents($file);');
--EXPECT--
-- 
bool(false)
bool(false)
int(0)
-- larder.file_cache=1 larder.file_cache_revalidate=-1
one bool(true)
bool(false)
bool(false)
two
0
-- larder.file_cache=1 larder.file_cache_revalidate=-1 larder.file_cache_ttl=1
two
-- larder.file_cache=1 larder.file_cache_revalidate=10000000
one 1
-- larder.file_cache=1 larder.file_cache_revalidate=1
two
-- larder.file_cache=1 larder.file_cache_max_size=2
bool(false)
-- larder.file_cache=1 larder.volatile_size=0
onebool(false)
bool(false)
-- larder.file_cache=yes,please
Warning: larder.file_cache = "yes,please": must be 0 or 1; it is 0 in Unknown on line 0
one
-- larder.file_cache_ttl=-1
Warning: larder.file_cache_ttl = "-1": must be a number of seconds, or 0 for no limit; it is 0 in Unknown on line 0
one
-- larder.file_cache_revalidate=-2
Warning: larder.file_cache_revalidate = "-2": must be a number of milliseconds, 0 for each call, or -1 for never; it is 0 in Unknown on line 0
one
-- larder.file_cache_max_size=lots
Warning: larder.file_cache_max_size = "lots": must be a size of at least 1 byte, such as 1M; it is 1M in Unknown on line 0
one
