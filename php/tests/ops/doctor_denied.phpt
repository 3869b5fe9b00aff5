--TEST--
larder: ops: the doctor finds system calls that a container denies, and says what to write
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/ops.php';
if (getenv('SKIP_ASAN') || getenv('LD_PRELOAD')) die('skip sanitizers');
if (!ops_denies()) die('skip needs ext/ffi, for seccomp');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
foreach (['memfd_create', 'membarrier'] as $call) {
    $command = implode(' ', array_map(escapeshellarg(...), ops_command('doctor', '--json')));
    $answer = json_decode(strstr(ops_deny($call, "$command 2>/dev/null"), '{') ?: '', true);
    foreach ($answer['findings'] as $finding) {
        if ($finding['level'] === 'wrong') {
            echo "$call [{$finding['check']}] ", preg_replace('~ /\S+/(20-larder|php)\.ini~', ' INI', $finding['where']), ": {$finding['line']}\n";
        }
    }
}
?>
--EXPECT--
memfd_create [kernel] write into INI: larder.scope = app
membarrier [kernel] write into "names" of the allowed calls of the seccomp profile, and make the stores anew: "membarrier"
