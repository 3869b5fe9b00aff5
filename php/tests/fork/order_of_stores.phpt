--TEST--
larder: fork: processes that begin with different stores have both
--EXTENSIONS--
larder
pcntl
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
use Larder\PinnedCache as P;
use Larder\VolatileCache as V;

[$mine, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (pcntl_fork() === 0) {
    fgets($other); // waits until the other process has made the volatile store
    P::set('p', [1, 2]);
    fwrite($other, "the pinned store has been made\n");
    echo 'child: ', json_encode([V::get('v'), P::get('p'), V::info()->failure_reason]), "\n";
    exit;
}
V::set('v', [3, 4]);
fwrite($mine, "\n");
fgets($mine);
pcntl_wait($status);
echo 'parent: ', json_encode([V::get('v'), P::get('p'), P::info()->failure_reason]), "\n";
?>
--EXPECT--
child: [[3,4],[1,2],null]
parent: [[3,4],[1,2],null]
