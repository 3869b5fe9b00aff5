--TEST--
larder: scope(): results, exceptions, nesting, fibers, and memory that others can use again
--EXTENSIONS--
larder
--INI--
larder.volatile_size=1M
--FILE--
<?php
require __DIR__ . '/churn.inc';
use Larder\VolatileCache;
use function Larder\scope;

/** Returns the bytes of values that were deleted but are still held. */
function held(): int { return VolatileCache::info()->retired_memory ?? 0; }

VolatileCache::set('k', value('k'));
VolatileCache::set('s', value('s')['text']);
same('array', scope(fn() => VolatileCache::get('k')), value('k'));
same('part', scope(fn() => VolatileCache::get('k')['deep']), value('k')['deep']);
same('string', scope(fn() => VolatileCache::get('s')), value('s')['text']);
same('nothing', scope(function () {}), null);
same('object', scope(fn() => (object) VolatileCache::get('k'))->list, value('k')['list']);
same('by reference', scope(function &() { static $v; $v = VolatileCache::get('k'); return $v; }), value('k'));
same('method', scope([new ArrayObject(VolatileCache::get('k')), 'getArrayCopy']), value('k'));

$returned = scope(fn() => VolatileCache::get('k'));
$kept = null;
$outer = scope(function () use (&$kept) {
    $mine = VolatileCache::get('k');
    $inner = scope(function () use (&$kept) { $kept = VolatileCache::get('k'); return VolatileCache::get('s'); });
    churn();
    same('outer value', $mine, value('k'));
    return [$mine, $inner];
});
churn();
same('returned', $returned, value('k'));
same('nested', $outer, [value('k'), value('s')['text']]);
same('by reference, nested', $kept, value('k'));

VolatileCache::set('k', value('k'));
try {
    scope(function () { $v = VolatileCache::get('k'); throw new DomainException($v['text']); });
} catch (DomainException $e) {
    churn();
    same('exception', $e->getMessage(), value('k')['text']);
}

VolatileCache::set('k', value('k'));
$fiber = new Fiber(fn() => scope(function () { $v = VolatileCache::get('k'); $sent = Fiber::suspend($v['text']); return [$v, $sent]; }));
$text = $fiber->start();
scope(fn() => VolatileCache::get('churn 1'));
churn();
scope(fn() => VolatileCache::get('churn 1'));
$fiber->resume('sent');
same('suspended', $fiber->getReturn(), [value('k'), 'sent']);
same('text', $text, value('k')['text']);

foreach ([[], ['no such function'], [fn() => 1, 2]] as $arguments) {
    try {
        scope(...$arguments);
    } catch (Error $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
echo "done\n";
--EXPECT--
ArgumentCountError: Larder\scope() expects exactly 1 argument, 0 given
TypeError: Larder\scope(): Argument #1 ($callback) must be a valid callback, function "no such function" not found or invalid function name
ArgumentCountError: Larder\scope() expects exactly 1 argument, 2 given
done
