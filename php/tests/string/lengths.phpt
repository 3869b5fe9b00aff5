--TEST--
larder: string: strings of every length, around the threshold of copying and of classes
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$lengths = array_merge(range(0, 300), [511, 512, 513, 1023, 4095, 4096, 8000, 8191, 8192, 8193, 65535, 65536, 100000, 1 << 20, 5000001]);
$wrong = 0;
foreach ($lengths as $n) {
    $s = substr(str_repeat("0123456789\0\xff", intdiv($n, 12) + 1), 0, $n);
    if (!VolatileCache::set('k', $s)) echo "not stored: $n\n";
    $g = VolatileCache::get('k');
    $wrong += $g !== $s || strlen($g) !== $n || crc32($g) !== crc32($s);
}
var_dump($wrong);
--EXPECT--
int(0)
