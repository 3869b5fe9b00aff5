--TEST--
larder: errors: of several wrong arguments the first is named, and $form is the last
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$pool = VolatileCache::pool('p');
foreach ([
    fn() => VolatileCache::set('', 1, -1, 'zip'), fn() => VolatileCache::set('k', 1, -1, 'zip'), fn() => VolatileCache::set('k', fopen(__FILE__, 'r'), 0, 'zip'),
    fn() => VolatileCache::add('k', 1, -1, 'zip'), fn() => VolatileCache::setMultiple(['' => 1], -1, 'zip'), fn() => VolatileCache::setMultiple(['' => 1], 0, 'zip'),
    fn() => VolatileCache::remember('k', fn() => 1, 0, -1, 'zip'), fn() => VolatileCache::pool('', 'zip'),
    fn() => $pool->set('k', 1, -1, 'zip'), fn() => $pool->add('', 1, 0, 'zip'), fn() => $pool->setMultiple([], -1, 'zip'), fn() => $pool->remember('k', fn() => 1, -1, 0, 'zip'),
] as $call) {
    try {
        $call();
        echo "none\n";
    } catch (Throwable $e) {
        echo preg_replace('~^.*: (Argument #\d \(\$\w+\)).*~', '$1', $e->getMessage()), "\n";
    }
}
?>
--EXPECT--
Argument #1 ($key)
Argument #3 ($ttl)
Argument #4 ($form)
Argument #3 ($ttl)
Argument #2 ($ttl)
Argument #3 ($form)
Argument #4 ($stale)
Argument #1 ($name)
Argument #3 ($ttl)
Argument #1 ($key)
Argument #2 ($ttl)
Argument #3 ($ttl)
