--TEST--
larder: ops: the doctor notes that systemd removes a user's named stores at logout, unless it is told not to
--EXTENSIONS--
larder
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/ops.php';
if (posix_geteuid() !== 0) die('skip needs root');
if (ops_as('nobody', function () { echo (int) is_executable(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY); }) !== '1') die('skip other users may not run this PHP');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$root = ops_folder(0755);
$note = function (string $title, string ...$settings) use ($root): void {
    $words = ops_command('doctor', '--json');
    array_splice($words, -3, 0, array_merge(...array_map(fn (string $line): array => ['-d', $line], $settings)));
    exec("LARDER_DOCTOR_ROOT=$root " . implode(' ', array_map(escapeshellarg(...), $words)) . ' 2>/dev/null', $lines);
    echo "$title:";
    foreach (json_decode(implode("\n", $lines), true)['findings'] as $finding) {
        echo $finding['check'] === 'folder' && str_contains($finding['text'], 'logs out') ? " {$finding['level']}, {$finding['text']}; {$finding['where']}: {$finding['line']}" : '';
    }
    echo "\n";
};
$nobody = fn (string $title, string ...$settings) => print ops_as('nobody', fn () => $note($title, ...$settings));
$write = function (string $file, string $text) use ($root): void {
    @mkdir(dirname("$root/$file"), 0755, true);
    file_put_contents("$root/$file", $text);
};
$scope = 'larder.scope=logout' . getmypid();

$nobody('without systemd', $scope);
mkdir("$root/run/systemd/users", 0755, true);
$nobody('a user', $scope);
$note('a system user', $scope);
$nobody('stores without a name');
$nobody('in another folder', $scope, 'larder.path=/tmp');
$write('var/lib/systemd/linger/nobody', '');
$nobody('may linger', $scope);
unlink("$root/var/lib/systemd/linger/nobody");
$write('etc/systemd/logind.conf', "[Login]\n#RemoveIPC=no\n");
$nobody('a comment', $scope);
$write('etc/systemd/logind.conf', "[Login]\nRemoveIPC = no\n");
$nobody('switched off', $scope);
$write('usr/lib/systemd/logind.conf.d/10-site.conf', "[Login]\nRemoveIPC=yes\n");
$nobody('on in a folder', $scope);
$write('etc/systemd/logind.conf.d/10-site.conf', "[Login]\n");
$nobody('that file is replaced', $scope);
?>
--EXPECT--
without systemd:
a user: note, when user nobody logs out, systemd removes the stores (RemoveIPC); to keep them, run: sudo loginctl enable-linger nobody
a system user:
stores without a name:
in another folder:
may linger:
a comment: note, when user nobody logs out, systemd removes the stores (RemoveIPC); to keep them, run: sudo loginctl enable-linger nobody
switched off:
on in a folder: note, when user nobody logs out, systemd removes the stores (RemoveIPC); to keep them, run: sudo loginctl enable-linger nobody
that file is replaced:
