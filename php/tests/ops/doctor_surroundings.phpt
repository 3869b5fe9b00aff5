--TEST--
larder: ops: the doctor finds that /proc is missing, that a folder is not writable, and what becomes of a store of another build
--EXTENSIONS--
larder
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/ops.php';
if (posix_geteuid() !== 0) die('skip needs root');
if (ops_as('nobody', function () { echo (int) is_executable(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY); }) !== '1') die('skip other users may not run this PHP');
if (trim(shell_exec('unshare -m sh -c "umount -l /proc && mount -t tmpfs none /dev/shm && echo ok" 2>/dev/null') ?? '') !== 'ok') die('skip needs the right to mount');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder(0755);
$diagnose = function (string $title, string $before = '') use ($folder): void {
    $words = ops_command('doctor', '--json');
    array_splice($words, -3, 0, ['-d', "larder.path=$folder", '-d', 'larder.scope=app']);
    exec($before . ' ' . implode(' ', array_map(escapeshellarg(...), $words)) . ' 2>/dev/null', $lines);
    $answer = json_decode(implode("\n", $lines), true);
    echo "$title:\n";
    foreach ($answer['findings'] as $finding) {
        if (($finding['level'] === 'wrong' && !str_contains($finding['text'], ', a disk, ')) || $finding['check'] === 'stores') {
            $cure = $finding['where'] !== '' ? "\n  {$finding['where']}: {$finding['line']}" : '';
            echo "{$finding['level']} [{$finding['check']}] ", preg_replace(['~instead of -d \S+~', '~-php[\d.]+~', '~(layout version) \d+, this build has \d+~'], ['instead', '-phpX.Y', '$1 X'], strtr($finding['text'] . $cure, [$folder => 'FOLDER'])), "\n";
        }
    }
};
$diagnose('no /proc', 'unshare -m sh -c \'umount -l /proc && exec "$@"\' -');
/* This user cannot write to the folder, which belongs to root. The doctor advises to add a subfolder. */
echo ops_as('nobody', fn () => $diagnose('of another user'));
ops_php("-d larder.path=$folder -d larder.scope=app", 'V::set("k", 1);');
[$file] = glob("$folder/larder-0/app-volatile");
$header = fopen($file, 'r+');
fseek($header, 8); /* the number of the layout */
$layout = unpack('V', fread($header, 4))[1];
fseek($header, 8);
fwrite($header, pack('V', $layout + 1));
$diagnose('of another build, without users');
echo ops_php("-d larder.path=$folder -d larder.scope=app", 'var_dump(V::set("k", 2));');
$diagnose('made again');
$words = [...array_slice(ops_command(), 0, -1), '-d', "larder.path=$folder", '-d', 'larder.scope=app', '-r', 'Larder\VolatileCache::set("k", 3); echo "in use\n"; fgets(STDIN);'];
$user = proc_open($words, [['pipe', 'r'], ['pipe', 'w']], $pipes);
fgets($pipes[1]);
$header = fopen($file, 'r+');
fseek($header, 8);
fwrite($header, pack('V', $layout + 1));
$diagnose('of another build, in use');
fclose($pipes[0]);
proc_close($user);
?>
--EXPECT--
no /proc:
wrong [kernel] /proc is not mounted here, and stores need it
  run: sudo mount -t proc proc /proc
note [stores] none is there yet: the first program that uses one makes it
of another user:
wrong [folder] FOLDER may not be written by user nobody
  run: sudo install -d -m 0700 -o nobody FOLDER/larder-65534
note [stores] none is there yet: the first program that uses one makes it
of another build, without users:
note [stores] LRD_EMISMATCH: the segment was made with other settings or by another build: FOLDER/larder-0/app-volatile: layout version X; no process uses it, so the next one that may create files makes it again, empty
bool(true)
made again:
right [stores] volatile 64.0M can be used
of another build, in use:
wrong [stores] LRD_EMISMATCH: the segment was made with other settings or by another build: FOLDER/larder-0/app-volatile: layout version X
  restart FPM, workers and cron jobs together; or, if one is to stay as it is, write instead -d larder.scope=app-phpX.Y
