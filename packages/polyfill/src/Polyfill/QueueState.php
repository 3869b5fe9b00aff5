<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\QueueInfo;
use Larder\StaticCacheException;

/**
 * The messages of a queue. Begin reading at push() and pop(). Each call runs within Log::run(), and begins with settle(), which makes
 * messages ready. Only waits, and the restoring of bodies, happen outside Log::run().
 */
final class QueueState
{
    /** Only small queues may use the last 1/LEFT of the store. */
    private const LEFT = 8;
    /** The messages of a small queue take at most 1/SMALL of the store. */
    private const SMALL = 16;
    private const COUNTS = ['pushed' => 0, 'acked' => 0, 'deleted' => 0, 'redelivered' => 0, 'returned' => 0, 'expired' => 0, 'refused' => 0];
    /** Bytes of memory that are freed if memory_limit ends the request while it restores a message: burying this message needs memory. */
    private const RESERVE = 1 << 17;
    private const FIRST_PAUSE = 0.001;
    /** The least difference, in seconds, between two results of later(). Floats might lose a smaller one. */
    private const TICK = 1e-6;

    private static bool $saidFull = false;
    /**
     * @var array<array{self, int, int}>|null queue, id and attempts of each reserved message whose body is being restored; null before the
     * first queue is opened
     */
    private static ?array $restoring = null;
    /** @phpstan-ignore property.onlyWritten */
    private static ?string $reserve = null;

    private readonly Log $log;
    /** @var array<int, QueueItem> by id */
    private array $items = [];
    /** @var array<int, array<int, true>> ids of the ready messages, by priority */
    private array $ready = [];
    /** @var array<int, true> the priorities that first() must sort */
    private array $unsorted = [];
    /** @var array<array<int, true>> ids of the reserved messages, by owner */
    private array $reserved = [];
    /** When a message next changes its state without a call, for example because its delay ends. */
    private float $next = INF;
    /** The latest time at which a message became ready or was buried. */
    private float $latest = 0.0;
    private bool $isOpened = false;
    private int $lastId = 0;
    private int $bytes = 0;
    private int $capacity = 0;
    /** @var array<string, int> */
    private array $counts = self::COUNTS;

    public function __construct(public readonly string $name, private readonly Queues $queues)
    {
        $this->log = $queues->log;
    }

    public static function open(string $name, int $capacity): self
    {
        $queue = Queues::shared()->queue($name);
        if (self::$restoring === null) {
            self::$restoring = [];
            self::$reserve = str_repeat('.', self::RESERVE);
            register_shutdown_function(self::buryUnrestored(...));
        }
        $queue->log->run(function () use ($queue, $capacity): void {
            if (!$queue->isOpened || $capacity !== 0) {
                $queue->isOpened = true;
                $queue->capacity = $capacity !== 0 ? $capacity : $queue->capacity;
                $queue->changed();
            }
        });
        return $queue;
    }

    /** Returns the id of the message, or null if there is no room, even after $wait. */
    public function push(Encoded $body, float $delay, int $priority, float $ttl, float $wait): ?string
    {
        if ($body->size + QueueItem::OVERHEAD > intdiv($this->queues->size, 2)) {
            Fault::warn('A value is larger than half of the store; raise larder.queue_size');
            $this->log->run(fn() => $this->count('refused'));
            return null;
        }
        $end = Store::now() + $wait;
        $id = $this->await($end, fn() => $this->add($body, $delay, $priority, $ttl));
        if ($id === null) {
            $this->log->run(fn() => $this->count('refused'));
        }
        return $id;
    }

    private function add(Encoded $body, float $delay, int $priority, float $ttl): ?string
    {
        if (!$this->hasRoom($body->size + QueueItem::OVERHEAD)) {
            return null;
        }
        $now = $this->later();
        $item = new QueueItem(++$this->lastId, $body, $priority, $ttl > 0 ? $now + $ttl : INF, 'ready', $now);
        $this->items[$item->id] = $item;
        $this->bytes += $item->bytes();
        $this->queues->used += $item->bytes();
        $this->count('pushed');
        $this->next = min($this->next, $item->expires);
        $this->log->changed('body', Queues::key($this->name, $item->id));
        $this->enter($item, $delay > 0 ? 'delayed' : 'ready', $delay);
        return (string) $item->id;
    }

    /** Reserves the next message, and returns a copy. $losses is the result that losses() had when the queue was opened. */
    public function pop(float $timeout, float $run, int $losses): ?QueueItem
    {
        return $this->await(Store::now() + $timeout, function () use ($run, $losses): ?QueueItem {
            if ($losses !== $this->losses()) {
                throw new StaticCacheException('Cannot read a message: the segment file was removed or replaced; open the queue again');
            }
            $item = $this->first();
            if ($item === null) {
                return null;
            }
            if ($item->attempts++ > 0) {
                $this->count('redelivered');
            }
            $this->enter($item, 'reserved', $run);
            return clone $item;
        });
    }

    /** Returns the body of a reserved message, or buries the message if its body cannot be restored. */
    public function restore(QueueItem $item): mixed
    {
        self::$restoring[$item->id . $this->name] = [$this, $item->id, $item->attempts];
        try {
            if (!$item->body->isReadable()) {
                throw new StaticCacheException("Message $item->id cannot be restored: a class of its body is gone or has changed; it was buried");
            }
            return $item->body->decode();
        } catch (\Throwable $error) {
            $this->end($item->id, $item->attempts, 'buried');
            throw $error;
        } finally {
            unset(self::$restoring[$item->id . $this->name]);
        }
    }

    /** At the end of the request, buries the messages whose restore() was ended by exit() or a fatal error. */
    private static function buryUnrestored(): void
    {
        self::$reserve = null;
        foreach (self::$restoring ?? [] as [$queue, $id, $attempts]) {
            $queue->end($id, $attempts, 'buried');
        }
    }

    /** Returns the message that will be popped next. */
    public function first(): ?QueueItem
    {
        return $this->log->run(function (): ?QueueItem {
            $this->settle();
            foreach ($this->ready as $priority => $ids) {
                foreach (isset($this->unsorted[$priority]) ? $this->sorted($priority) : $ids as $id => $_) {
                    return $this->items[$id];
                }
            }
            return null;
        });
    }

    public function find(string $id): ?QueueItem
    {
        $this->log->run($this->settle(...));
        return preg_match('/^[1-9]\d{0,18}$/D', $id) === 1 ? $this->items[(int) $id] ?? null : null;
    }

    /** @return list<QueueItem> */
    public function all(): array
    {
        $this->log->run($this->settle(...));
        return array_values($this->items);
    }

    /** Changes the state of a message. The new state ends after $seconds (0: no time limit). */
    private function enter(QueueItem $item, string $state, float $seconds = 0.0): void
    {
        // a reserved message that becomes ready again keeps its place
        if ($state === 'buried' || ($state === 'ready' && $item->state !== 'reserved')) {
            $item->waits = min($state === 'ready' ? $item->until : INF, $this->later());
        }
        $this->unlist($item);
        $item->state = $state;
        $item->until = $seconds > 0 ? Store::now() + $seconds : INF;
        $item->owner = $state === 'reserved' ? Owner::own() : '';
        $this->list($item);
        $this->log->changed('message', Queues::key($this->name, $item->id));
    }

    /** Returns the present time, but at least $latest plus TICK, so that messages keep their order. */
    private function later(): float
    {
        return $this->latest = max(Store::now(), $this->latest + self::TICK);
    }

    private function list(QueueItem $item): void
    {
        $this->next = min($this->next, $item->until, $item->state !== 'reserved' ? $item->expires : INF);
        $this->latest = max($this->latest, $item->waits);
        if ($item->state === 'reserved') {
            $this->reserved[$item->owner][$item->id] = true;
        }
        if ($item->state !== 'ready') {
            return;
        }
        if (!isset($this->ready[$item->priority])) {
            $this->ready[$item->priority] = [];
            krsort($this->ready);
        }
        $last = array_key_last($this->ready[$item->priority]);
        $this->ready[$item->priority][$item->id] = true;
        if ($last !== null && self::compare($this->items[$last], $item) > 0) {
            $this->unsorted[$item->priority] = true;
        }
    }

    /**
     * Sorts the ready messages of a priority, and returns their ids.
     *
     * @return array<int, true>
     */
    private function sorted(int $priority): array
    {
        unset($this->unsorted[$priority]);
        uksort($this->ready[$priority], fn(int $a, int $b): int => self::compare($this->items[$a], $this->items[$b]));
        return $this->ready[$priority];
    }

    /** Compares messages by the time at which they became ready or were buried. */
    private static function compare(QueueItem $a, QueueItem $b): int
    {
        return $a->waits <=> $b->waits ?: $a->id <=> $b->id;
    }

    private function unlist(QueueItem $item): void
    {
        unset($this->ready[$item->priority][$item->id], $this->reserved[$item->owner][$item->id]);
        if (($this->reserved[$item->owner] ?? null) === []) {
            unset($this->reserved[$item->owner]);
        }
    }

    public function isReserved(int $id, int $attempts): bool
    {
        $this->log->run($this->settle(...));
        $item = $this->items[$id] ?? null;
        return $item?->state === 'reserved' && $item->attempts === $attempts && Owner::isOwn($item->owner);
    }

    /**
     * Ends this process's reservation of a message, and gives the message the state $state; 'acked' removes it. Returns false if this
     * process has not reserved the message.
     */
    public function end(int $id, int $attempts, string $state, float $seconds = 0.0): bool
    {
        return $this->log->run(function () use ($id, $attempts, $state, $seconds): bool {
            if (!$this->isReserved($id, $attempts)) {
                return false;
            }
            $state === 'acked' ? $this->remove($this->items[$id], 'acked') : $this->enter($this->items[$id], $state, $seconds);
            return true;
        });
    }

    public function delete(string $id): bool
    {
        return $this->log->run(function () use ($id): bool {
            $item = $this->find($id);
            if ($item === null || ($item->state === 'reserved' && !Owner::isOwn($item->owner))) {
                return false;
            }
            $this->remove($item, 'deleted');
            return true;
        });
    }

    /** Removes a message, and adds 1 to the statistic $count. */
    private function remove(QueueItem $item, string $count): void
    {
        $this->place($item->id, null);
        $this->log->changed('message', Queues::key($this->name, $item->id));
        $this->count($count);
    }

    public function kick(int $most): int
    {
        return $this->log->run(function () use ($most): int {
            $buried = array_filter($this->all(), fn(QueueItem $item) => $item->state === 'buried');
            usort($buried, self::compare(...));
            $buried = \array_slice($buried, 0, $most);
            foreach ($buried as $item) {
                $this->enter($item, 'ready');
            }
            return \count($buried);
        });
    }

    public function clear(bool $reserved): int
    {
        return $this->log->run(function () use ($reserved): int {
            $free = array_filter($this->all(), fn(QueueItem $item) => $reserved || $item->state !== 'reserved');
            foreach ($free as $item) {
                $this->remove($item, 'deleted');
            }
            return \count($free);
        });
    }

    public function info(): QueueInfo
    {
        $states = ['ready' => 0, 'reserved' => 0, 'delayed' => 0, 'buried' => 0];
        $items = $this->all();
        $now = $oldest = Store::now();
        foreach ($items as $item) {
            $states[$item->state]++;
            $oldest = $item->state === 'ready' ? min($oldest, $item->waits) : $oldest;
        }
        return Record::make(QueueInfo::class, [
            ...$states, ...$this->counts, 'bytes' => $this->bytes, 'capacity' => $this->capacity, 'wakeups' => 0,
            'oldest' => $now - $oldest,
        ]);
    }

    private function settle(): void
    {
        foreach (array_keys($this->reserved) as $owner) {
            if (!Owner::isAlive((string) $owner)) {
                foreach (array_keys($this->reserved[$owner]) as $id) {
                    $this->count('returned');
                    $this->enter($this->items[$id], 'ready');
                }
            }
        }
        $now = Store::now();
        if ($this->next > $now) {
            return;
        }
        $this->next = INF;
        foreach ($this->items as $item) {
            if ($item->until <= $now) {
                if ($item->state === 'reserved') {
                    $this->count('returned');
                }
                $this->enter($item, 'ready');
            }
            if ($item->expires <= $now && $item->state !== 'reserved') {
                $this->remove($item, 'expired');
                continue;
            }
            $this->next = min($this->next, $item->until, $item->state !== 'reserved' ? $item->expires : INF);
        }
    }

    private function hasRoom(int $bytes): bool
    {
        $this->settle();
        if ($this->capacity !== 0 && \count($this->items) >= $this->capacity) {
            return false;
        }
        $isSmall = $this->bytes <= intdiv($this->queues->size, self::SMALL);
        if ($this->queues->used + $bytes <= $this->queues->size - ($isSmall ? 0 : intdiv($this->queues->size, self::LEFT))) {
            return true;
        }
        if (!self::$saidFull && (bool) \ini_get('log_errors')) {
            self::$saidFull = true;
            error_log("Larder: the queue store refuses values: it is full (the queue has $this->bytes bytes). Said once; info() counts");
        }
        return false;
    }

    /**
     * Calls $try again and again until its result is not null. Returns null at $end, or at a signal. Sleeps between two calls; the sleeps
     * are short if other processes may change the queue.
     * @template T
     * @param callable(): (T|null) $try
     * @return T|null
     */
    private function await(float $end, callable $try): mixed
    {
        for ($pause = self::FIRST_PAUSE; ($result = $this->log->run($try)) === null; $pause = min(1.5 * $pause, Store::LAST_PAUSE)) {
            $left = $end - Store::now();
            $next = min($left, $this->next - Store::now(), $this->log->path !== null ? $pause : INF);
            if ($left <= 0 || !Waits::sleep($next)) {
                return null;
            }
        }
        return $result;
    }

    public function losses(): int
    {
        return $this->log->losses;
    }

    private function count(string $count): void
    {
        $this->counts[$count]++;
        $this->changed();
    }

    private function changed(): void
    {
        $this->log->changed('queue', $this->name);
    }

    /* ---- what the log keeps */

    public function isOpened(): bool
    {
        return $this->isOpened;
    }

    public function item(int $id): ?QueueItem
    {
        return $this->items[$id] ?? null;
    }

    /** @return list<int> */
    public function ids(): array
    {
        return array_keys($this->items);
    }

    /** @return array<mixed> */
    public function record(): array
    {
        return [$this->capacity, $this->lastId, $this->counts];
    }

    /** @param array<mixed> $record */
    public function apply(array $record): void
    {
        /** @var array{int, int, array<string, int>} $record */
        [$this->capacity, $this->lastId, $this->counts] = $record;
        $this->isOpened = true;
    }

    /** Adds or replaces the message with this id. If $item is null, removes the message. */
    public function place(int $id, ?QueueItem $item): void
    {
        $old = $this->items[$id] ?? null;
        $more = ($item?->bytes() ?? 0) - ($old?->bytes() ?? 0);
        $this->bytes += $more;
        $this->queues->used += $more;
        if ($old !== null) {
            $this->unlist($old);
        }
        if ($item === null) {
            unset($this->items[$id]);
            return;
        }
        $this->items[$id] = $item;
        $this->list($item);
    }

    public function forget(): void
    {
        $this->items = $this->ready = $this->reserved = [];
        $this->next = INF;
        $this->isOpened = false;
        $this->bytes = $this->lastId = $this->capacity = 0;
        $this->counts = self::COUNTS;
    }
}
