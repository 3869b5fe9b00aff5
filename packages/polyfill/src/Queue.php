<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Encoded;
use Larder\Polyfill\Encoder;
use Larder\Polyfill\Fault;
use Larder\Polyfill\QueueItem;
use Larder\Polyfill\Queues;
use Larder\Polyfill\QueueState;
use Larder\Polyfill\Record;
use Larder\Polyfill\Refused;
use Larder\Polyfill\Settings;

/** A named queue. It delivers each message at least once: a message stays until it is acknowledged or deleted, or expires. */
final class Queue
{
    use Closed;

    /** PHP allocates memory in chunks of this many bytes, and memory_limit counts whole chunks. */
    private const CHUNK = 2 << 20;

    private readonly QueueState $state;
    private readonly int $losses;

    private function __construct() {}

    /**
     * Open or create the queue of this name (1 to 200 bytes), which accepts at most $capacity messages. If $capacity is 0, an existing
     * queue keeps its capacity, and a new one has no limit. Throws a StaticCacheException if queues are off.
     */
    public static function open(string $name, int $capacity = 0): Queue
    {
        Fault::most(\func_num_args(), 2);
        $length = \strlen($name);
        if ($length < 1 || $length > 200) {
            throw Fault::argument(\ValueError::class, 1, "must be between 1 and 200 bytes long, $length given");
        }
        Fault::atLeast($capacity, 0, 2);
        $reason = Settings::reasonOff('queue');
        if ($reason !== null) {
            throw new StaticCacheException("Queues are off: $reason");
        }
        $state = QueueState::open($name, $capacity);
        return Record::make(self::class, ['state' => $state, 'losses' => $state->losses()]);
    }

    /**
     * Return the names of all queues, or an empty array if queues are off.
     * @return list<string>
     */
    public static function names(): array
    {
        Fault::most(\func_num_args(), 0);
        return Settings::reasonOff('queue') === null ? Queues::shared()->names() : [];
    }

    public function name(): string
    {
        Fault::most(\func_num_args(), 0);
        return $this->state->name;
    }

    /**
     * Push a message, and return its id, or null if there is no room even after $wait. The message is ready after $delay. Messages with a
     * higher $priority (32 bits) are popped first. After $ttl seconds (0: never), the message expires unless it is reserved.
     */
    public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string
    {
        Fault::most(\func_num_args(), 5);
        [$delay, $ttl, $wait] = self::times($delay, $priority, $ttl, $wait);
        return $this->state->push(self::encode($body, '$body'), $delay, $priority, $ttl, $wait);
    }

    /**
     * Push all bodies in order, and return their ids under the keys of the bodies. With too little room, only the first ones are pushed,
     * and the result has only their keys.
     * @param array<array-key, mixed> $bodies
     * @return array<array-key, string>
     */
    public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array
    {
        Fault::most(\func_num_args(), 5);
        [$delay, $ttl, $wait] = self::times($delay, $priority, $ttl, $wait);
        $encoded = [];
        foreach ($bodies as $key => $body) {
            $encoded[$key] = self::encode($body, '$bodies' . Refused::keyStep($key));
        }
        $ids = [];
        foreach ($encoded as $key => $body) {
            $id = $this->state->push($body, $delay, $priority, $ttl, $wait);
            if ($id === null) {
                break;
            }
            $ids[$key] = $id;
        }
        return $ids;
    }

    /**
     * Reserve the next message. Returns null if there is none within $timeout, or if a signal arrives. The message belongs to this process
     * until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). If the message object is destroyed before that,
     * or the process ends, the message is ready again. If a class of the body is gone or has changed, the message is buried, and a
     * StaticCacheException is thrown.
     */
    public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message
    {
        Fault::most(\func_num_args(), 2);
        $timeout = Fault::seconds($timeout, 1);
        return $this->popOne($timeout, Fault::seconds($timeToRun, 2));
    }

    /**
     * Reserve a message as pop() does, and then more messages that are ready. Stops after $count messages, or earlier if memory_limit
     * leaves too little room.
     * @return list<Message>
     */
    public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array
    {
        Fault::most(\func_num_args(), 3);
        Fault::atLeast($count, 1, 1);
        $timeout = Fault::seconds($timeout, 2);
        $run = Fault::seconds($timeToRun, 3);
        $messages = [];
        $largest = 0;
        do {
            $before = memory_get_usage();
            $message = $this->popOne($messages === [] ? $timeout : 0.0, $run);
            if ($message === null) {
                break;
            }
            $messages[] = $message;
            // Expect twice the size of the next message's text, because a value takes more memory than its text.
            $largest = max($largest, memory_get_usage() - $before, 2 * ($this->state->first()->body->size ?? 0));
        } while (\count($messages) < $count && self::hasMemory($largest));
        return $messages;
    }

    /**
     * Return the message $id in any state or, without $id, the one that will be popped next. Does not reserve it.
     * @throws StaticCacheException a class of the body is gone or has changed
     */
    public function peek(?string $id = null): ?Message
    {
        Fault::most(\func_num_args(), 1);
        $item = $id === null ? $this->state->first() : $this->state->find($id);
        return $item !== null ? $this->message($item, $item->body->decode()) : null;
    }

    /**
     * Return all messages, or at most $limit, in any state and in no particular order. Does not reserve them.
     * @throws StaticCacheException a class of one of the bodies is gone or has changed
     * @return list<Message>
     */
    public function list(int $limit = 0): array
    {
        Fault::most(\func_num_args(), 1);
        Fault::atLeast($limit, 0, 1);
        $items = $limit === 0 ? $this->state->all() : \array_slice($this->state->all(), 0, $limit);
        return array_map(fn(QueueItem $item) => $this->message($item, $item->body->decode()), $items);
    }

    /** Remove a message. Returns false if there is none with this id, or another process has reserved it. */
    public function delete(string $id): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->state->delete($id);
    }

    /** Make at most $count buried messages ready again, the oldest first. Returns their number. */
    public function kick(int $count = PHP_INT_MAX): int
    {
        Fault::most(\func_num_args(), 1);
        return $this->state->kick(Fault::atLeast($count, 0, 1));
    }

    /**
     * Remove all messages that are not reserved or, with $reserved, all messages. Returns their number. The workers of reserved messages
     * then get false from ack(), release() and bury().
     */
    public function clear(bool $reserved = false): int
    {
        Fault::most(\func_num_args(), 1);
        return $this->state->clear($reserved);
    }

    public function info(): QueueInfo
    {
        Fault::most(\func_num_args(), 0);
        return $this->state->info();
    }

    /**
     * Returns true if popMany() may pop another message. The free memory must exceed a quarter of memory_limit, four times $body bytes, and
     * a chunk of PHP's allocator.
     */
    private static function hasMemory(int $body): bool
    {
        $limit = ini_parse_quantity((string) \ini_get('memory_limit'));
        $left = $limit - memory_get_usage();
        return $limit <= 0
            || ($left > intdiv($limit, 4) && $body < intdiv($left, 4) && $limit - memory_get_usage(true) >= self::CHUNK);
    }

    private function popOne(float $timeout, float $run): ?Message
    {
        $item = $this->state->pop($timeout, $run, $this->losses);
        if ($item === null) {
            return null;
        }
        return $this->message($item, $this->state->restore($item), isReserved: true, run: $run);
    }

    private function message(QueueItem $item, mixed $body, bool $isReserved = false, float $run = 0.0): Message
    {
        return Record::make(Message::class, [
            'body' => $body,
            'id' => (string) $item->id,
            'attempts' => $item->attempts,
            'priority' => $item->priority,
            'state' => $item->state,
            'queue' => $this->state,
            'process' => (int) getmypid(),
            'isReserved' => $isReserved,
            'timeToRun' => $run,
        ]);
    }

    /** @return array{float, float, float} the delay, the time to live and the wait, in seconds */
    private static function times(int|float $delay, int $priority, int|float $ttl, int|float $wait): array
    {
        $times = [Fault::seconds($delay, 2), Fault::seconds($ttl, 4), Fault::seconds($wait, 5)];
        if ($priority < -2 ** 31 || $priority >= 2 ** 31) {
            throw Fault::argument(\ValueError::class, 3, 'must be between -2147483648 and 2147483647');
        }
        return $times;
    }

    private static function encode(mixed $body, string $root): Encoded
    {
        try {
            return Encoder::encode($body);
        } catch (Refused $refused) {
            throw $refused->error(1, $root);
        }
    }
}
