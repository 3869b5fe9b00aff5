--TEST--
larder: fpm: a worker has one page of its own of the extension's data, with layers for other caches, too
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip();
if (getenv('SKIP_ASAN') || getenv('LD_PRELOAD')) die('skip sanitizers have data of their own');
if (str_contains((string) file_get_contents(fpm_module('larder.so')), 'LARDER_COLLECT')) die('skip make php-poison: its checks write to other pages');
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

/* Looks at the writable pages of the extension in a process. Returns the numbers of the pages that no other process maps. */
function own_pages(int $pid): array
{
    $page = (int) shell_exec('getconf PAGESIZE');
    preg_match('~^(\w+)-.* (/\S*larder\S*\.so)$~m', file_get_contents("/proc/$pid/maps"), $map);
    $elf = file_get_contents($map[2], false, null, 0, 4096);
    ['at' => $at] = unpack('Pat', $elf, 32);
    ['count' => $count] = unpack('vcount', $elf, 56);
    $pages = [];
    for ($i = 0; $i < $count; $i++) {
        $part = unpack('Vtype/Vflags/Poffset/Pfrom/Pphysical/Pfile/Pmemory', $elf, $at + 56 * $i);
        if ($part['type'] !== 1 || !($part['flags'] & 2)) { // PT_LOAD, PF_W
            continue;
        }
        $first = intdiv($part['from'], $page);
        $entries = file_get_contents("/proc/$pid/pagemap", false, null, (intdiv(hexdec($map[1]), $page) + $first) * 8, (intdiv($part['from'] + $part['memory'] - 1, $page) - $first + 1) * 8);
        foreach (unpack('P*', $entries) as $number => $entry) {
            if ($entry < 0 && $entry >> 56 & 1) { // present, and mapped by one process only
                $pages[] = $number;
            }
        }
    }
    return $pages;
}

foreach (['', 'apcu,immutable_cache'] as $layers) {
    $fpm = fpm(['www' => ['pm.max_children' => 3]], ['larder.compat' => $layers]);
    $served = [];
    fpm_wait(function () use ($fpm, &$served) {
        $served[(int) $fpm->run('www', 'V::set("a", [1]); V::get("a"); V::get("none"); proc_close(proc_open(["true"], [], $pipes)); echo getmypid();')] = true;
        return count($served) === 3;
    });
    foreach (array_keys($served) as $pid) {
        echo count(own_pages($pid)), "\n";
    }
}
?>
--EXPECT--
1
1
1
1
1
1
