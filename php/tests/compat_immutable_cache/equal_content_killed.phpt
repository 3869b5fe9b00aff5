--TEST--
larder: immutable_cache: processes killed while they add equal values lose nothing, and at most one sharing each
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
if (trim((string) shell_exec(escapeshellarg(PHP_BINARY) . ' -n -r "echo (int) function_exists(\'pcntl_fork\');"')) !== '1') die('skip pcntl is not built in');
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, <<<'PHP'
<?php
const CONTENTS = 24, BYTES = 20000, WORKERS = 3, KILLS = 60;
/* Returns a new value on each call: a string if $i is even, an array if $i is odd. */
function content(int $i): string|array { $parts = []; for ($j = 0; $j < BYTES / 50; $j++) $parts[] = sprintf('content %03d, part %05d of many', $i, $j); return $i % 2 ? $parts : implode('; ', $parts) . str_repeat('.', 4000); }
$started = 0;
$start = function () use (&$started): int {
    $number = $started++;
    $pid = pcntl_fork();
    if ($pid !== 0) return $pid;
    mt_srand($number + 1);
    for ($n = 0;; $n++) { $i = mt_rand(0, CONTENTS - 1); if (!immutable_cache_add("$number/$n/$i", content($i))) { echo "not added\n"; exit; } }
};
immutable_cache_add('first', 'one'); // formats the store
$workers = [];
for ($w = 0; $w < WORKERS; $w++) $workers[] = $start();
mt_srand(7);
for ($kill = 0; $kill < KILLS; $kill++) {
    usleep(mt_rand(0, 8000));
    $w = mt_rand(0, WORKERS - 1);
    exec("kill -9 $workers[$w]"); pcntl_waitpid($workers[$w], $status); $workers[$w] = $start();
    /* A call must not wait for a dead process, and must store its own entry correctly. */
    if (!immutable_cache_add("parent $kill", content($kill % CONTENTS)) || immutable_cache_fetch("parent $kill") !== content($kill % CONTENTS)) echo "wrong after kill $kill\n";
}
foreach ($workers as $pid) { exec("kill -9 $pid"); pcntl_waitpid($pid, $status); }
$entries = $wrong = 0;
foreach (new ImmutableCacheIterator(null, IMMUTABLE_CACHE_ITER_VALUE) as $key => $item) {
    $parts = explode('/', $key);
    if (count($parts) !== 3) continue;
    $entries++;
    $wrong += $item['value'] !== content((int) $parts[2]);
}
$info = immutable_cache_cache_info(true);
$each = 25000 + 1000; /* bytes of a stored string; an array takes more, for its table and its strings */
$each = max($each, strlen(serialize(content(1))) * 2);
/* There may be one copy of each content, one more copy for each kill, and the copies that several workers stored at the same
 * time. */
$limit = (CONTENTS + KILLS + WORKERS) * WORKERS * $each + $entries * 200;
echo $entries > 0 ? 'entries' : 'nothing was tested', ", wrong: $wrong, ", $info['mem_size'] < $limit ? 'shared' : "$info[mem_size] bytes for $entries entries", ', ', $info['num_entries'] - $entries === KILLS + 1 ? 'counted' : "$info[num_entries] for $entries", "\n";
/* Store each content twice. The second copies must take almost no memory. */
$before = $info['mem_size'];
for ($i = 0; $i < CONTENTS; $i++) immutable_cache_add("after $i", content($i));
$once = immutable_cache_cache_info(true)['mem_size'];
for ($i = 0; $i < CONTENTS; $i++) immutable_cache_add("again $i", content($i));
echo immutable_cache_cache_info(true)['mem_size'] - $once < CONTENTS * 300 ? "and still are\n" : "and are not any more\n";
PHP);
echo shell_exec(escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . " -n -d extension=$so -d larder.compat=immutable_cache -d immutable_cache.shm_size=128M $file 2>&1");
unlink($file);
--EXPECT--
entries, wrong: 0, shared, counted
and still are
