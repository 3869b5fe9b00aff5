--TEST--
larder: lifetime: a fatal error, memory limit or exit at any point leaves the store working
--EXTENSIONS--
larder
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP'); ?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    class Throwing { function __serialize(): array { ini_set('memory_limit', '2M'); return [str_repeat('x', 50 << 20)]; } }
    class Exiting { function __serialize(): array { exit('exiting'); } function __unserialize(array $d): void { exit('exiting'); } }
    class Undefined { function __serialize(): array { return undefined_function(); } }
    class Fine { public $x = 1; function __unserialize(array $d): void { if (VolatileCache::get('exit')) exit('left'); } }
    VolatileCache::set('state', [$n]);
    switch ($n % 8) {
        case 0: VolatileCache::set('k', range(1, 1000)); break;
        case 1: VolatileCache::set('k', [new Throwing]); break;
        case 2: VolatileCache::set('k', [new Exiting]); break;
        case 3: VolatileCache::remember('k2', function () { undefined_function(); }); break;
        case 4: VolatileCache::remember('k2', function () { ini_set('memory_limit', '4M'); return str_repeat('x', 100 << 20); }); break;
        case 5: VolatileCache::lock('locked'); VolatileCache::get('k'); exit('leaving');
        case 6: VolatileCache::set('big', str_repeat('b', 300000)); ini_set('memory_limit', '2M'); $s = strrev(VolatileCache::get('big')); break;
        case 7: for ($i = 0; $i < 1100; $i++) VolatileCache::set("a$i", range(0, 200)); ini_set('memory_limit', '3M'); for ($i = 0; $i < 1100; $i++) $all[] = VolatileCache::get("a$i"); break;
    }
    echo VolatileCache::get('k') === range(1, 1000) ? 'kept' : 'LOST';
    CODE, 0, 'larder.volatile_size=16M');
$check = 0;
for ($n = 0; $n < 32; $n++) { $answer = $ask($n); if ($answer === false || str_contains($answer, 'LOST')) { echo "request $n: "; var_dump($answer); } else $check++; }
var_dump($check, str_contains($ask(1), 'memory'), str_contains($ask(3), 'undefined_function'), $ask(5), $ask(8));
--EXPECT--
int(32)
bool(true)
bool(true)
string(7) "leaving"
string(4) "kept"
