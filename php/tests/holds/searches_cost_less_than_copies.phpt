--TEST--
larder: a request that does not end searches its memory rarely, whatever it reads
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if (!is_readable('/proc/self/io')) die('skip the kernel does not count calls of read()');
if (getenv('LARDER_COLLECT') !== false) die('skip every get searches'); ?>
--INI--
larder.volatile_size=128M
--FILE--
<?php
use Larder\VolatileCache as Cache;

/* Returns the number of reads of this process. A search reads files of /proc; a get reads no file. */
function reads(): int { return (int) substr(strstr(file_get_contents('/proc/self/io'), 'syscr:'), 6); }

function make(string $kind, int $size, int $i): string|array
{
    return $kind === 'strings' ? str_pad("$i ", $size, 'x') : ['id' => $i, ...array_map(fn($j) => "row $j of $i " . str_repeat('y', 60), range(1, intdiv($size, 100)))];
}

Cache::set('probe', ['probe' => str_repeat('x', 100)]);
reads();
$before = reads();
$none = reads() - $before;
$before = reads();
Larder\scope(fn() => count(Cache::get('probe'))); /* searches */
$one = reads() - $before - $none;
$one > 0 || exit("a search reads no file\n");

/* each case: number of keys, bytes of a value, number of gets, maximum number of searches */
foreach (['strings' => [[32, 100, 20000, 1], [1000, 100, 20000, 1], [300, 16000, 4000, 5], [1000, 16000, 4000, 10], [32, 100000, 2000, 5], [100, 100000, 2000, 5], [32, 900000, 500, 60]],
          'arrays' => [[32, 100, 20000, 1], [1000, 100, 20000, 1], [300, 16000, 4000, 5], [1000, 16000, 4000, 12], [32, 100000, 2000, 5], [100, 100000, 2000, 20], [32, 900000, 500, 60]]] as $kind => $cases) {
    foreach ($cases as [$keys, $size, $gets, $most]) {
        Cache::clear();
        for ($i = 0; $i < $keys; $i++) Cache::set("key $i", make($kind, $size, $i)) || exit("key $i is not stored\n");
        $before = reads();
        for ($i = 0; $i < $gets; $i++) {
            $value = Cache::get('key ' . $i % $keys);
            if ($value !== null && (int) (is_array($value) ? $value['id'] : $value) !== $i % $keys) exit("get $i of $keys $kind is wrong\n");
        }
        $searches = (reads() - $before - $none) / $one;
        if ($searches > $most) printf("%d gets of %d %s of %d bytes: %.1f searches\n", $gets, $keys, $kind, $size, $searches);
        $value = null;
        Cache::set('probe', ['probe' => str_repeat('x', 100)]);
        Larder\scope(fn() => count(Cache::get('probe'))); /* the end of the scope releases all values */
    }
}
echo "done\n";
?>
--EXPECT--
done
