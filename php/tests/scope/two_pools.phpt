--TEST--
larder: scope: FPM pools cannot reach each other's stores, whatever their names and users
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip('www-data', 'games'); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

/* The names differ only after 32 characters. */
$names = array_map(fn ($end) => str_repeat('customer', 4) . $end, ['-www-one', '-www-two', '-games-x']);
[$one, $two, $games] = $names;
$fpm = fpm([$one => ['user' => 'www-data', 'pm.max_children' => 4], $two => ['user' => 'www-data'], $games => ['user' => 'games']]);
var_dump(array_map('strlen', $names));

/* Before its first use of a store, a worker has inherited the store's memfd, but has not opened the store. */
echo 'unused: ', $fpm->run($two, 'echo count(preg_grep("/memfd:larder/", array_map(fn ($fd) => (string) @readlink("/proc/self/fd/$fd"), range(0, 1023)))), ", in a child: ", shell_exec("ls -l /proc/self/fd/ | grep -c memfd");');

foreach ($names as $name) {
    $fpm->run($name, "V::set('secret', 'of $name'); P::set('secret', 'of $name'); V::set('only-$name', 1); P::set('only-$name', 1); Larder\\Sessions::count(); Larder\\Queue::open('q');");
}

/* Returns the inodes of the memfds that a process has open, and of the memfds that it has mapped. Needs root. */
$memory = function (int $pid): array {
    foreach (glob("/proc/$pid/fd/*") as $fd) {
        if (str_contains((string) @readlink($fd), 'memfd:larder')) {
            $inodes['open'][(int) preg_replace('/.*^ino:\s*(\d+).*/ms', '$1', file_get_contents("/proc/$pid/fdinfo/" . basename($fd)))] = true;
        }
    }
    preg_match_all('~ (\d+) +/memfd:larder~', file_get_contents("/proc/$pid/maps"), $m);
    return [array_keys($inodes['open'] ?? []), array_values(array_unique(array_map('intval', $m[1])))];
};
$attack = <<<'PHP'
$try = function (string $what, callable $do): void {
    error_clear_last();
    $got = @$do();
    $why = error_get_last()['message'] ?? 'no error';
    echo $what, ': ', $got === false && preg_match('/Permission denied|Operation not permitted/', $why) ? 'denied' : 'OPEN ' . $why, "\n";
};
$list = function (array $keys): string { sort($keys); return implode(',', $keys); };
Larder\Sessions::count();
Larder\Queue::open('q');
echo V::get('secret'), ' ', P::get('secret'), ' ', $list(V::keys()), ' ', $list(P::keys()), ' ', V::info()->entry_count, ' ', P::info()->entry_count, "\n";
$own = [];
for ($fd = 0; $fd < 1024; $fd++) if (str_contains((string) @readlink("/proc/self/fd/$fd"), 'memfd:larder')) $own[] = (int) preg_replace('/.*^ino:\s*(\d+).*/ms', '$1', file_get_contents("/proc/self/fdinfo/$fd"));
sort($own);
echo 'own memfds: ', json_encode($own), "\n";
foreach (explode(',', $_SERVER['OTHERS']) as $other) {
    [$name, $pid, $fd, $map] = explode(':', $other);
    $try("$name fd", fn () => scandir("/proc/$pid/fd"));
    $try("$name fd/n", fn () => fopen("/proc/$pid/fd/$fd", 'r+'));
    $try("$name map_files", fn () => scandir("/proc/$pid/map_files"));
    $try("$name map_files/n", fn () => fopen("/proc/$pid/map_files/$map", 'r'));
    $try("$name maps", fn () => file_get_contents("/proc/$pid/maps"));
    $try("$name mem", fn () => fopen("/proc/$pid/mem", 'r'));
}
echo 'in a child: ', trim(shell_exec('ls -l /proc/self/fd/ | grep -c memfd:larder')), ' ', trim(shell_exec('grep -c memfd:larder /proc/self/maps')), "\n";
PHP;

/* A worker that has served no request still has the memory of all pools. Stop one such worker, so that no request reaches it. */
$idle = array_values(array_filter($fpm->workers($one), fn ($pid) => count($memory($pid)[0]) > 4))[0];
fpm_halt($idle);
echo 'an idle worker has ', count($memory($idle)[0]), ', the master ', count($memory($fpm->pid)[0]), "\n";
/* Counts the anonymous memory areas shared with the master: the table of claims, and FPM's own areas. */
$shared = fn (int $pid): int => preg_match_all('~ (\d+) +/dev/zero~', file_get_contents("/proc/$pid/maps"), $m) ? count(array_unique($m[1])) : 0;
$victims = ['idle' => $idle, 'same user' => $fpm->workers($two)[0], 'other user' => $fpm->workers($games)[0], 'master' => $fpm->pid];
foreach ([$one, $games] as $attacker) {
    $others = [];
    foreach ($victims as $name => $pid) {
        if ($attacker === $games && $name === 'other user') {
            $pid = $fpm->workers($two)[0];
        }
        $fd = array_values(array_filter(scandir("/proc/$pid/fd"), fn ($fd) => str_contains((string) @readlink("/proc/$pid/fd/$fd"), 'memfd:larder')))[0];
        $map = array_values(array_filter(scandir("/proc/$pid/map_files"), fn ($map) => str_contains((string) @readlink("/proc/$pid/map_files/$map"), 'memfd:larder')))[0] ?? 'x';
        $others[] = "$name:$pid:$fd:$map";
    }
    echo "-- from $attacker\n";
    $answer = $fpm->run($attacker, $attack, ['OTHERS' => implode(',', $others)]);
    echo preg_replace('/own memfds: .*/', 'own memfds: ' . count(json_decode(preg_match('/own memfds: (.*)/', $answer, $m) ? $m[1] : '[]')), $answer);
    $seen[$attacker] = json_decode($m[1]);
}

echo "-- what root sees\n";
posix_kill($idle, SIGCONT);
foreach ($names as $name) {
    foreach ($fpm->workers($name) as $pid) {
        [$open, $mapped] = $memory($pid);
        if (count($open) > 4) {
            continue; /* this worker has not served a request yet */
        }
        sort($open);
        sort($mapped);
        $table[] = $shared($idle) - $shared($pid); /* the idle worker still maps the table */
        $has[$name] = $open;
        $same ??= [];
        $same[] = $open === $mapped && count($open) === 4 && (!isset($seen[$name]) || $seen[$name] === $open);
    }
}
var_dump(array_unique($same), array_unique($table), count(array_unique(array_merge(...array_values($has)))));
--EXPECT--
array(3) {
  [0]=>
  int(40)
  [1]=>
  int(40)
  [2]=>
  int(40)
}
unused: 4, in a child: 0
an idle worker has 128, the master 128
-- from customercustomercustomercustomer-www-one
of customercustomercustomercustomer-www-one of customercustomercustomercustomer-www-one only-customercustomercustomercustomer-www-one,secret only-customercustomercustomercustomer-www-one,secret 2 2
own memfds: 4
idle fd: denied
idle fd/n: denied
idle map_files: denied
idle map_files/n: denied
idle maps: denied
idle mem: denied
same user fd: denied
same user fd/n: denied
same user map_files: denied
same user map_files/n: denied
same user maps: denied
same user mem: denied
other user fd: denied
other user fd/n: denied
other user map_files: denied
other user map_files/n: denied
other user maps: denied
other user mem: denied
master fd: denied
master fd/n: denied
master map_files: denied
master map_files/n: denied
master maps: denied
master mem: denied
in a child: 0 0
-- from customercustomercustomercustomer-games-x
of customercustomercustomercustomer-games-x of customercustomercustomercustomer-games-x only-customercustomercustomercustomer-games-x,secret only-customercustomercustomercustomer-games-x,secret 2 2
own memfds: 4
idle fd: denied
idle fd/n: denied
idle map_files: denied
idle map_files/n: denied
idle maps: denied
idle mem: denied
same user fd: denied
same user fd/n: denied
same user map_files: denied
same user map_files/n: denied
same user maps: denied
same user mem: denied
other user fd: denied
other user fd/n: denied
other user map_files: denied
other user map_files/n: denied
other user maps: denied
other user mem: denied
master fd: denied
master fd/n: denied
master map_files: denied
master map_files/n: denied
master maps: denied
master mem: denied
in a child: 0 0
-- what root sees
array(1) {
  [0]=>
  bool(true)
}
array(1) {
  [0]=>
  int(1)
}
int(12)
