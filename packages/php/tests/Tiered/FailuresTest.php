<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\ItemPool;
use Larder\Cache\Locks;
use Larder\Cache\SimpleCache;
use Larder\Cache\Tiered\TieredStore;
use Larder\Symfony\LarderTagAwareAdapter;
use PHPUnit\Framework\TestCase;

/** What the caches of this library say when the server of their tier does not answer. */
final class FailuresTest extends TestCase
{
    private ArrayServer $server;
    private TieredStore $store;

    protected function setUp(): void
    {
        $this->server = new ArrayServer();
        $this->store = new TieredStore($this->server, 'failures', 'f:');
    }

    public function testWhatTheServerWasNotToldIsNotGone(): void
    {
        $simple = new SimpleCache($this->store);
        $pool = new ItemPool($this->store, hierarchical: true);
        $symfony = new LarderTagAwareAdapter($this->store);
        $locks = new Locks($this->store);
        $locks->acquire('lock', 'me', null);
        $this->assertTrue($simple->setMultiple(['a' => 1, 'b' => 2]));
        $this->assertTrue($pool->save($pool->getItem('item')->set(3)->setTags(['tag'])));
        $this->assertTrue($symfony->save($symfony->getItem('symfony')->set(4)->tag('tag')));
        $changes = [
            'delete' => fn(): bool => $simple->delete('a'),
            'deleteMultiple' => fn(): bool => $simple->deleteMultiple(['a', 'b', 'a']),
            'a time that is over' => fn(): bool => $simple->set('a', 5, 0),
            'deleteItem' => fn(): bool => $pool->deleteItem('item'),
            'a level' => fn(): bool => $pool->deleteItem('|level'),
            'invalidateTags' => fn(): bool => $pool->invalidateTags(['tag']),
            'an item that has ended' => fn(): bool => $pool->save($pool->getItem('item')->set(3)->expiresAfter(-1)),
            "Symfony's delete" => fn(): bool => $symfony->delete('symfony'),
            "Symfony's tags" => fn(): bool => $symfony->invalidateTags(['tag']),
            'a sub-namespace' => fn(): bool => $symfony->withSubNamespace('sub')->clear(),
        ];
        $this->server->down = true;
        foreach ($changes as $what => $change) {
            $this->assertFalse($change(), $what);
        }
        $this->server->down = false;
        $this->assertSame([1, 2, true, true, ['me']], [$simple->get('a'), $simple->get('b'), $pool->hasItem('item'), $symfony->hasItem('symfony'), $locks->owners('lock')]);
        foreach (['once', 'once more, where nothing is there'] as $time) {
            foreach ($changes as $what => $change) {
                $this->assertTrue($change(), "$what, $time");
            }
        }
        $this->assertSame([null, null, false, false], [$simple->get('a'), $simple->get('b'), $pool->hasItem('item'), $symfony->hasItem('symfony')]);
    }
}
