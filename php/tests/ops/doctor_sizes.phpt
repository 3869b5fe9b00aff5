--TEST--
larder: ops: the doctor counts the stores that Larder has in place of another cache, and says of each store the size that stats and ping say
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix') || extension_loaded('immutable_cache')) die('skip needs posix, and no immutable_cache'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
mkdir("$folder/root/proc", 0700, true);
file_put_contents("$folder/root/proc/meminfo", "MemTotal: 4194304 kB\n");
file_put_contents("$folder/root/proc/self", ''); /* hide the limits of this process from the doctor */
putenv("LARDER_DOCTOR_ROOT=$folder/root");
/* Runs the command with settings. Returns the lines of its output that match $pattern. */
$run = function (string $settings, array $words, string $pattern): string {
    $command = ops_command(...$words);
    array_splice($command, 1, 0, array_merge(...array_map(fn (string $setting) => ['-d', $setting], array_filter(explode(' ', $settings)))));
    exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>/dev/null', $lines);
    $lines = explode("\n", preg_replace('/\n {22}(?=\S)/', ' ', implode("\n", $lines))); /* the doctor wraps at 80 columns */
    return implode("\n", preg_grep($pattern, $lines) ?: ['none']) . "\n";
};
$doctor = fn (string $settings): string => $run($settings, ['doctor'], '/ memory |^ {13}/');
foreach (['', 'larder.compat=apcu apc.enable_cli=1', 'larder.compat=apcu apc.enable_cli=1 apc.shm_size=48', 'larder.compat=apcu apc.enable_cli=0', 'apc.enable_cli=1 apc.shm_size=200M',
    'larder.compat=apcu apc.enable_cli=1 apc.shm_size=6G', 'larder.compat=immutable_cache', 'larder.compat=immutable_cache immutable_cache.enabled=Off', 'larder.compat=immutable_cache immutable_cache.enable_cli=Off',
    'larder.compat=immutable_cache larder.immutable_size=8M', 'larder.compat=immutable_cache immutable_cache.shm_size=8192'] as $settings) {
    echo "[$settings]\n", $doctor($settings);
}
echo "-- memory that is too small for the stores beside the largest\n";
file_put_contents("$folder/root/proc/meminfo", "MemTotal: 61440 kB\n");
echo $doctor('larder.volatile_size=256M larder.pinned_size=32M larder.queue_size=16M'), $doctor('larder.volatile_size=25M larder.pinned_size=3M larder.queue_size=1M');
file_put_contents("$folder/root/proc/meminfo", "MemTotal: 4194304 kB\n");
echo "-- stores of a size that no setting here has\n";
$named = "larder.path=$folder larder.scope=app";
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.volatile_size=200M -d larder.queue_size=3M", 'V::set("k", 1); P::set("k", 1); Larder\Queue::open("q")->push(1);');
echo $run($named, ['doctor'], '/ memory | stores  /'), preg_replace('/memory .*, of/', 'memory of', $run($named, ['stats'], '/ memory /')), preg_replace('/up, \S+ of (\S+) used.*/', 'up, of $1', $run($named, ['ping'], '/up/'));
?>
--EXPECT--
[]
  right  memory       the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M) of the 4.0G that this machine has
[larder.compat=apcu apc.enable_cli=1]
  right  memory       the stores may take 144M (volatile 64.0M, pinned 32.0M, queue 16.0M, apcu 32.0M) of the 4.0G that this machine has
[larder.compat=apcu apc.enable_cli=1 apc.shm_size=48]
  right  memory       the stores may take 160M (volatile 64.0M, pinned 32.0M, queue 16.0M, apcu 48.0M) of the 4.0G that this machine has
[larder.compat=apcu apc.enable_cli=0]
  right  memory       the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M) of the 4.0G that this machine has
[apc.enable_cli=1 apc.shm_size=200M]
  right  memory       the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M) of the 4.0G that this machine has
[larder.compat=apcu apc.enable_cli=1 apc.shm_size=6G]
  WRONG  memory       the stores may take 6.1G (volatile 64.0M, pinned 32.0M, queue 16.0M, apcu 6.0G), but this machine has 4.0G
             -d apc.shm_size=1936M
[larder.compat=immutable_cache]
  right  memory       the stores may take 368M (volatile 64.0M, pinned 32.0M, immutable 256M, queue 16.0M) of the 4.0G that this machine has
[larder.compat=immutable_cache immutable_cache.enabled=Off]
  right  memory       the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M) of the 4.0G that this machine has
[larder.compat=immutable_cache immutable_cache.enable_cli=Off]
  right  memory       the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M) of the 4.0G that this machine has
[larder.compat=immutable_cache larder.immutable_size=8M]
  right  memory       the stores may take 120M (volatile 64.0M, pinned 32.0M, immutable 8.0M, queue 16.0M) of the 4.0G that this machine has
[larder.compat=immutable_cache immutable_cache.shm_size=8192]
  WRONG  memory       the stores may take 8.1G (volatile 64.0M, pinned 32.0M, immutable 8.0G, queue 16.0M), but this machine has 4.0G
             -d immutable_cache.shm_size=1936M
-- memory that is too small for the stores beside the largest
  WRONG  memory       the stores may take 304M (volatile 256M, pinned 32.0M, queue 16.0M), but this machine has 60.0M
             -d larder.volatile_size=25M
  WRONG  memory       a smaller larder.volatile_size alone does not make enough room
             -d larder.pinned_size=3M
  WRONG  memory       a smaller larder.volatile_size alone does not make enough room
             -d larder.queue_size=1M
  right  memory       the stores may take 29.0M (volatile 25.0M, pinned 3.0M, queue 1.0M) of the 60.0M that this machine has
-- stores of a size that no setting here has
  right  memory       the stores may take 235M (volatile 200M, pinned 32.0M, queue 3.0M) of the 4.0G that this machine has
  right  stores       volatile 200M, pinned 32.0M, queue 3.0M can be used
  memory of 200M
  memory of 32.0M
  memory of 3.0M
volatile: up, of 200M
pinned: up, of 32.0M
queue: up, of 3.0M
