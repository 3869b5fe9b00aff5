--TEST--
larder: queue: clear(true) removes what another process has reserved: its owner may do nothing to it any more, and keeps the body
--EXTENSIONS--
larder
pcntl
--FILE--
<?php
$q = Larder\Queue::open('clear');
$q->push('reserved');
[$to, $from] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (!($pid = pcntl_fork())) {
    $message = Larder\Queue::open('clear')->pop();
    fwrite($from, 'r');
    fread($from, 1);
    exit($message->body === 'reserved' && !$message->ack() && !$message->release() ? 0 : 1);
}
fread($to, 1);
var_dump($q->clear(), $q->clear(true));
fwrite($to, 'c');
pcntl_waitpid($pid, $status);
$info = $q->info();
var_dump(pcntl_wexitstatus($status), $info->ready + $info->reserved, $info->deleted);
?>
--EXPECT--
int(0)
int(1)
int(0)
int(0)
int(1)
