<?php

/* PHPStan analyses this code, to test the types in the extension's stubs and the library's generics. */

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cache\MemoryStore;
use Larder\Cache\Store;
use Larder\PinnedCache;
use Larder\VolatileCache;

use function PHPStan\Testing\assertType;

final class Route
{
    public function __construct(public readonly string $path) {}
}

assertType(Route::class, VolatileCache::remember('key', fn(): Route => new Route('/')));
assertType('array{Larder\Tests\Route}', VolatileCache::remember('key', fn(): array => [new Route('/')], 60));
assertType('42', VolatileCache::pool('name')->remember('key', fn(): int => 42));
assertType('string', PinnedCache::remember('key', fn(): string => getenv('HOME') ?: ''));
assertType(Route::class, (new MemoryStore())->remember('key', fn(): Route => new Route('/')));
assertType('int|false', VolatileCache::increment('key'));
assertType('Larder\Pool', VolatileCache::pool('name'));
assertType('array<mixed>|false', VolatileCache::getMultiple(['a', 'b']));
assertType('array<mixed>', VolatileCache::pool('name')->getMultiple(['a', 'b']));
assertType('float|null', VolatileCache::keyInfo('key')?->ttl);

/**
 * remember() of a Store accepts a callable, and returns a value of the callable's type.
 *
 * @return \DateTimeImmutable
 */
function remembered(Store $store): \DateTimeImmutable
{
    return $store->remember('key', fn(): \DateTimeImmutable => new \DateTimeImmutable());
}
