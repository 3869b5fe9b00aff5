<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\QueueInfo;

/** The messages of a queue. Read push() and pop() first. Each begins with settle(), which ends delays and times to run that are over. */
final class QueueState
{
    /** A large queue leaves 1/LEFT of the store to small queues. A queue is small if it takes at most 1/SMALL of the store. */
    private const LEFT = 8;
    private const SMALL = 16;

    /** @var array<self> by name */
    private static array $queues = [];
    private static int $used = 0;
    private static bool $saidFull = false;
    /** @var array<int, QueueItem>|null reserved messages whose bodies are being restored; null: no queue was opened */
    private static ?array $restoring = null;

    /** @var array<int, QueueItem> by id */
    private array $items = [];
    /** @var array<int, array<int, true>> ids that are ready, by priority */
    private array $ready = [];
    /** Before this time, no message changes its state by itself. */
    private float $next = INF;
    private int $lastId = 0;
    private int $bytes = 0;
    private int $capacity = 0;
    /** @var array<string, int> */
    private array $counts = ['pushed' => 0, 'acked' => 0, 'deleted' => 0, 'redelivered' => 0, 'returned' => 0, 'expired' => 0, 'refused' => 0];

    private function __construct(public readonly string $name, private readonly int $size) {}

    public static function open(string $name, int $capacity): self
    {
        if (self::$restoring === null) {
            self::$restoring = [];
            register_shutdown_function(self::buryUnrestored(...));
        }
        $queue = self::$queues[$name] ??= new self($name, Settings::size('queue'));
        $queue->capacity = $capacity !== 0 ? $capacity : $queue->capacity;
        return $queue;
    }

    /** @return list<string> */
    public static function names(): array
    {
        return array_map(strval(...), array_keys(self::$queues));
    }

    /** Returns the id of the message; null: there is no room, even after $wait. */
    public function push(Encoded $body, float $delay, int $priority, float $ttl, float $wait): ?string
    {
        if ($body->size + QueueItem::OVERHEAD > intdiv($this->size, 2)) {
            Fault::warn('A value is larger than half of the store; raise larder.queue_size');
            $this->counts['refused']++;
            return null;
        }
        for ($end = Store::now() + $wait; !$this->hasRoom($body->size + QueueItem::OVERHEAD);) {
            if (!$this->sleep($end)) {
                $this->counts['refused']++;
                return null;
            }
        }
        $now = Store::now();
        $item = new QueueItem(++$this->lastId, $body, $priority, $ttl > 0 ? $now + $ttl : INF, 'ready', $now);
        $this->items[$item->id] = $item;
        $this->bytes += $item->bytes();
        self::$used += $item->bytes();
        $this->counts['pushed']++;
        $this->next = min($this->next, $item->expires);
        $this->enter($item, $delay > 0 ? 'delayed' : 'ready', $delay);
        return (string) $item->id;
    }

    public function pop(float $timeout, float $run): ?QueueItem
    {
        $end = Store::now() + $timeout;
        while (($item = $this->first()) === null) {
            if (!$this->sleep($end)) {
                return null;
            }
        }
        $this->counts['redelivered'] += $item->attempts++ > 0 ? 1 : 0;
        $this->enter($item, 'reserved', $run);
        return $item;
    }

    /** Returns the body of a reserved message. If it cannot be restored, the message is buried, because the next attempt would fail, too. */
    public function restore(QueueItem $item): mixed
    {
        self::$restoring[spl_object_id($item)] = $item;
        try {
            return $item->body->decode();
        } catch (\Throwable $error) {
            $this->enter($item, 'buried');
            throw $error;
        } finally {
            unset(self::$restoring[spl_object_id($item)]);
        }
    }

    /** Buries messages at the end of the request if exit() or a fatal error has ended restore(). Needs no memory, because there may be none. */
    private static function buryUnrestored(): void
    {
        foreach (self::$restoring ?? [] as $item) {
            $item->state = 'buried';
            $item->until = INF;
        }
    }

    /** Returns the message that would be popped next. */
    public function first(): ?QueueItem
    {
        $this->settle();
        foreach ($this->ready as $ids) {
            foreach ($ids as $id => $_) {
                return $this->items[$id];
            }
        }
        return null;
    }

    public function find(string $id): ?QueueItem
    {
        $this->settle();
        return preg_match('/^[1-9]\d{0,18}$/D', $id) === 1 ? $this->items[(int) $id] ?? null : null;
    }

    /** @return list<QueueItem> */
    public function all(): array
    {
        $this->settle();
        return array_values($this->items);
    }

    /** Gives a message a state. $seconds: after this time the state ends by itself; 0: never. */
    public function enter(QueueItem $item, string $state, float $seconds = 0.0): void
    {
        unset($this->ready[$item->priority][$item->id]);
        if ($state === 'ready' && $item->state !== 'reserved') { // a reserved message that comes back keeps its waiting time
            $item->waits = min($item->until, Store::now());
        }
        $item->state = $state;
        $item->until = $seconds > 0 ? Store::now() + $seconds : INF;
        $this->next = min($this->next, $item->until);
        if ($state !== 'ready') {
            return;
        }
        if (!isset($this->ready[$item->priority])) {
            $this->ready[$item->priority] = [];
            krsort($this->ready);
        }
        $last = array_key_last($this->ready[$item->priority]);
        $this->ready[$item->priority][$item->id] = true;
        if ($last > $item->id) {
            ksort($this->ready[$item->priority]);
        }
    }

    public function isReserved(QueueItem $item, int $attempts): bool
    {
        $this->settle();
        return ($this->items[$item->id] ?? null) === $item && $item->state === 'reserved' && $item->attempts === $attempts;
    }

    /** Removes a message. $count: the name of the statistic that counts this. */
    public function remove(QueueItem $item, string $count): void
    {
        unset($this->items[$item->id], $this->ready[$item->priority][$item->id]);
        $this->bytes -= $item->bytes();
        self::$used -= $item->bytes();
        $this->counts[$count]++;
    }

    public function kick(int $most): int
    {
        $buried = \array_slice(array_filter($this->all(), fn(QueueItem $item) => $item->state === 'buried'), 0, $most);
        foreach ($buried as $item) {
            $this->enter($item, 'ready');
        }
        return \count($buried);
    }

    public function clear(bool $reserved): int
    {
        $free = array_filter($this->all(), fn(QueueItem $item) => $reserved || $item->state !== 'reserved');
        foreach ($free as $item) {
            $this->remove($item, 'deleted');
        }
        return \count($free);
    }

    public function info(): QueueInfo
    {
        $states = ['ready' => 0, 'reserved' => 0, 'delayed' => 0, 'buried' => 0];
        $now = $oldest = Store::now();
        foreach ($this->all() as $item) {
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
        $now = Store::now();
        if ($this->next > $now) {
            return;
        }
        $this->next = INF;
        foreach ($this->items as $item) {
            if ($item->until <= $now) {
                $this->counts['returned'] += $item->state === 'reserved' ? 1 : 0;
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
        $isSmall = $this->bytes <= intdiv($this->size, self::SMALL);
        if (self::$used + $bytes <= $this->size - ($isSmall ? 0 : intdiv($this->size, self::LEFT))) {
            return true;
        }
        if (!self::$saidFull && (bool) \ini_get('log_errors')) {
            self::$saidFull = true;
            error_log("Larder: the queue store refuses values: it is full (the queue has $this->bytes bytes). Said once; info() counts");
        }
        return false;
    }

    /** Sleeps until a message changes its state by itself, or until $end. Returns false at $end, or if a signal came. */
    private function sleep(float $end): bool
    {
        $seconds = min($this->next, $end) - Store::now();
        return $end > Store::now() && Waits::sleep($seconds);
    }
}
