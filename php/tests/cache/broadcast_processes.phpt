--TEST--
larder: broadcast: of one publication sixteen waiting processes are told
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use Larder\Broadcast;

$flags = Broadcast::open('flags');
$pids = [];
for ($i = 0; $i < 16; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        exit($flags->wait(0, 600) && $flags->value === ['go' => true] ? 7 : 8);
    }
    $pids[] = $pid;
}
usleep(50000);
if (($publisher = pcntl_fork()) === 0) {
    Broadcast::open('flags')->publish(['go' => true]);
    exit(0);
}
pcntl_waitpid($publisher, $status);
$codes = [];
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
    $codes[] = pcntl_wexitstatus($status);
}
var_dump(array_unique($codes), $flags->version, $flags->value);
--EXPECT--
array(1) {
  [0]=>
  int(7)
}
int(1)
array(1) {
  ["go"]=>
  bool(true)
}
