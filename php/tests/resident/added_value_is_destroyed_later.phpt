--TEST--
larder: resident: a value that was added to a kept object is not destroyed inside a call of the cache
--EXTENSIONS--
larder
--SKIPIF--
<?php if (PHP_DEBUG) die('skip a debug build reports the added objects as leaks: PHP frees their contents before Larder drops the tables'); ?>
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

final readonly class Fixed { public function __construct(public int $x, public string $text) {} }
class Added
{
    public static array $got = [];
    function __destruct()
    {
        self::$got[] = VolatileCache::get('other');
        if (count(self::$got) === 60) echo implode(' ', array_unique(self::$got)), "\n";
    }
}

VolatileCache::set('other', 'found');
/* Nothing refers to the objects of earlier rounds, so later rounds may free them. */
for ($i = 0; $i < 60; $i++) {
    VolatileCache::set('fixed', new Fixed($i, str_repeat('text', 30)));
    $fixed = VolatileCache::get('fixed');
    if ($fixed->x !== $i || $fixed !== VolatileCache::get('fixed') && $i < 16) echo "WRONG\n";
    $array = new ArrayObject($fixed);
    $array['added'] = new Added;
    unset($array, $fixed);
}
echo "done\n";
--EXPECT--
done
found
