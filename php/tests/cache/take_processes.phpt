--TEST--
larder: take: of eight processes exactly one gets each value; compareAndSet() loses no increment
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

const TOKENS = 2000, INCREMENTS = 5000;
for ($n = 0; $n < TOKENS; $n++) {
    VolatileCache::set("token $n", $n % 2 ? ["number" => $n] : $n);
}
VolatileCache::set('counter', 0);
VolatileCache::set('cart', []);
$pids = [];
for ($i = 0; $i < 8; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        for ($n = 0; $n < TOKENS; $n++) {
            $value = VolatileCache::take("token $n");
            if ($value !== null) {
                if ($value !== ($n % 2 ? ["number" => $n] : $n)) exit(1);
                VolatileCache::increment("takers of $n");
            }
        }
        for ($n = 0; $n < INCREMENTS; $n++) {
            do $value = VolatileCache::get('counter');
            while (!VolatileCache::compareAndSet('counter', $value, $value + 1));
        }
        for ($n = 0; $n < 50; $n++) {
            do {
                [$cart, $version] = VolatileCache::getVersioned('cart');
                $cart[] = "$i:$n";
            } while (!VolatileCache::replaceIf('cart', $cart, $version));
        }
        exit(0);
    }
    $pids[] = $pid;
}
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
    if ($status) echo "status $status\n";
}
for ($n = 0; $n < TOKENS; $n++) {
    if (VolatileCache::get("takers of $n") !== 1) echo "token $n: ", var_export(VolatileCache::get("takers of $n"), true), "\n";
}
$cart = VolatileCache::get('cart');
var_dump(VolatileCache::get('counter'), count($cart), count(array_unique($cart)));
--EXPECT--
int(40000)
int(400)
int(400)
