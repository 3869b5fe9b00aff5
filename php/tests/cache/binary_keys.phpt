--TEST--
larder: cache: a key is any bytes, up to 65535 of them
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$keys = ["\0", "a\0b", "a\0c", "\xff\xfe", str_repeat('k', 65535), str_repeat('k', 65534), ' ', "\n", 'ключ', '0', 'K', 'k'];
foreach ($keys as $i => $key) VolatileCache::set($key, $i);
foreach ($keys as $i => $key) if (VolatileCache::get($key) !== $i) echo "wrong: $i\n";
echo "done\n";
--EXPECT--
done
