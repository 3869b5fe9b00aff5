--TEST--
larder: files: apc.cache_static_contents and apc.user_ttl of the layer for APCu: no look at a file within that time
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.enable_cli=1
apc.cache_static_contents=1
apc.user_ttl=2
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$file = files_folder() . '/file';
file_put_contents($file, 'one');
keep($file);
file_put_contents($file, 'two');
/* Within the time to live, reads return the old content, unless this machine is too busy. */
for ($start = hrtime(true); ($text = file_get_contents($file)) === 'two' && hrtime(true) - $start < 6e10;) { keep($file); file_put_contents($file, 'one'); file_get_contents($file) === 'two' and $text = 'one' and file_put_contents($file, 'two'); }
echo strlen($text), "\n";
file_put_contents($file, 'new');
usleep(2500000);
echo file_get_contents($file), ' ', Larder\FileCache::info()->revalidations, "\n";
--EXPECT--
3
new 0
