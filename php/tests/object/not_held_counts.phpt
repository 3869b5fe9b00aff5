--TEST--
larder: object: a get whose value may not be held counts once, even if it loads a class
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl')) die('skip needs pcntl'); ?>
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\VolatileCache;

const LATER = 'class Later { public $one = [1]; public $other; }';

VolatileCache::set('other', 1);
if (pcntl_fork() === 0) {
    eval(LATER . ' class Gone { public $one; }');
    $later = new Later;
    $later->other = new Later;
    VolatileCache::set('later', $later);
    VolatileCache::set('gone', [new Gone, new Gone]);
    exit;
}
pcntl_wait($status);
$hold = hold_all_that_a_request_may();
spl_autoload_register(function ($class) { if ($class === 'Later') eval(LATER); });
foreach (['later', 'later', 'gone', 'missing'] as $key) {
    $before = VolatileCache::info();
    $got = get_debug_type(VolatileCache::get($key));
    $after = VolatileCache::info();
    echo "$key: $got, ", $after->hits - $before->hits, ' hits, ', $after->misses - $before->misses, " misses\n";
}
--EXPECT--
later: Later, 1 hits, 0 misses
later: Later, 1 hits, 0 misses
gone: null, 0 hits, 1 misses
missing: null, 0 hits, 1 misses
