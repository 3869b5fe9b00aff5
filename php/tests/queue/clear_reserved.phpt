--TEST--
larder: queue: clear(true) removes what is reserved, too: its owner may do nothing to it any more, and keeps the body
--EXTENSIONS--
pcntl
posix
--INI--
larder.enable_cli=1
--FILE--
<?php
$q = Larder\Queue::open('clear');
$body = str_repeat('a body that is shared as it lies ', 500);
$q->pushMany([$body, 'small', 'third', 'waits']);
[$large, $small] = $q->popMany(2);
[$to, $from] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (!($pid = pcntl_fork())) {
    $third = Larder\Queue::open('clear')->pop();
    fwrite($from, 'r');
    fread($from, 1);
    exit($third->body === 'third' && !$third->ack() && !$third->release() ? 0 : 1);
}
fread($to, 1);
$info = $q->info();
var_dump([$info->ready, $info->reserved], $q->clear());
$q->push('new');
var_dump($q->clear(true));
fwrite($to, 'c');
pcntl_waitpid($pid, $status);
var_dump(pcntl_wexitstatus($status));
var_dump($large->body === $body, $small->body, $large->ack(), $small->release(), $small->bury(), $small->touch());
unset($large, $small);
$info = $q->info();
var_dump($info->ready + $info->reserved + $info->delayed + $info->buried, $info->deleted, $q->pop());
try {
    $q->clear([]);
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(3)
}
int(1)
int(4)
int(0)
bool(true)
string(5) "small"
bool(false)
bool(false)
bool(false)
bool(false)
int(0)
int(5)
NULL
Larder\Queue::clear(): Argument #1 ($reserved) must be of type bool, array given
