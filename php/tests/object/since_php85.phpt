--TEST--
larder: object: what PHP 8.5 brought: URIs, clone with properties, closures in defaults, attributes that are validated later
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php if (PHP_VERSION_ID < 80500) die('skip needs PHP 8.5'); ?>
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

readonly class Node
{
    public function __construct(public int $n, public ?Node $next = null) {}
    public function with(int $n): static { return clone($this, ['n' => $n]); }
}
class Defaults { public $f = [1, Suit::Hearts]; const MAKES = static function () { return 1; }; }
class Refused { public $g = static function () {}; }
enum Suit { case Hearts; }
class Counts
{
    #[Larder\VolatileStatic] public private(set) static int $n = 0;
    #[DelayedTargetValidation] #[Larder\VolatileStatic] public $plain = 'plain';
    static function count(): int { return ++self::$n; }
}
function refused(Closure $run): void { try { $run(); echo "not refused\n"; } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

echo "-- URIs\n";
$uris = [new Uri\Rfc3986\Uri('https://user:pw@example.com:8080/a/b?c=d#e'), new Uri\WhatWg\Url('https://example.com/?x=1')];
foreach ([...$uris, [$uris, $uris[0]]] as $value) {
    VolatileCache::set('k', $value);
    PinnedCache::set('k', $value);
    foreach ([VolatileCache::get('k'), VolatileCache::get('k'), PinnedCache::get('k')] as $got) echo json_encode(serialize($got) === serialize($value)), ' ';
}
echo "\n-- clone with\n";
VolatileCache::set('k', new Node(1, new Node(2)));
$got = VolatileCache::get('k');
echo $got->with(5)->n, $got->with(5)->next->n, $got->n, VolatileCache::get('k')->n, "\n";
echo "-- closures\n";
VolatileCache::set('k', new Defaults);
echo json_encode([VolatileCache::get('k') == new Defaults, (VolatileCache::get('k')::MAKES)()]), "\n";
refused(fn () => VolatileCache::set('k', new Refused));
echo "-- attributes\n";
echo Counts::count(), (new Counts)->plain, "\n";
refused(fn () => (new ReflectionProperty(Counts::class, 'plain'))->getAttributes()[1]->newInstance());
--EXPECT--
-- URIs
true true true true true true true true true 
-- clone with
5211
-- closures
[true,1]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value->g
-- attributes
1plain
Error: Cannot apply #[Larder\VolatileStatic] to Counts::$plain, which is not static
