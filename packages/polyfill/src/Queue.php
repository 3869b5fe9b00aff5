<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Encoded;
use Larder\Polyfill\Encoder;
use Larder\Polyfill\Fault;
use Larder\Polyfill\QueueItem;
use Larder\Polyfill\QueueState;
use Larder\Polyfill\Record;
use Larder\Polyfill\Refused;
use Larder\Polyfill\Settings;

/**
 * A named queue. Delivery is at least once: a message that was pushed stays until it was acknowledged, deleted or
 * has expired; one that was acknowledged is never seen again.
 */
final class Queue
{
    use Closed;

    private readonly QueueState $state;

    private function __construct() {}

    /**
     * The queue of this name (1 to 200 bytes), made where there is none. $capacity is the most messages it takes
     * from now on; 0 changes nothing, and is no limit but memory for a new one. Throws a StaticCacheException where
     * queues are off.
     */
    public static function open(string $name, int $capacity = 0): Queue
    {
        $length = \strlen($name);
        if ($length < 1 || $length > 200) {
            throw Fault::argument(\ValueError::class, 1, "must be between 1 and 200 bytes long, $length given");
        }
        Fault::atLeast($capacity, 0, 2);
        $reason = Settings::reasonOff('queue');
        if ($reason !== null) {
            throw new StaticCacheException("Queues are off: $reason");
        }
        return Record::make(self::class, ['state' => QueueState::open($name, $capacity)]);
    }

    /**
     * The names of all queues. Empty where queues are off.
     * @return list<string>
     */
    public static function names(): array
    {
        return QueueState::names();
    }

    public function name(): string
    {
        return $this->state->name;
    }

    /**
     * The id of the message, or null when there is no room: also after $wait, and at once when that is 0. $delay:
     * nobody gets it before. Higher $priority (32 bits) goes first. $ttl: dropped when it was not acknowledged by
     * then, also when it was popped before and came back, but not while it is reserved; 0: never.
     */
    public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string
    {
        [$delay, $ttl, $wait] = self::times($delay, $priority, $ttl, $wait);
        return $this->state->push(self::encode($body, '$body'), $delay, $priority, $ttl, $wait);
    }

    /**
     * Push all of them in order. The ids; fewer than bodies when there is no room for more. Keys are kept.
     * @param array<array-key, mixed> $bodies
     * @return array<array-key, string|null>
     */
    public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array
    {
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
     * Reserve the next message; null when there is none within $timeout, or when a signal came. It is this process's
     * until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). When the object goes
     * without any of that, or the process ends or dies, the message is ready again at once.
     */
    public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message
    {
        $timeout = Fault::seconds($timeout, 1);
        return $this->popOne($timeout, Fault::seconds($timeToRun, 2));
    }

    /**
     * As pop(), and then at most so many messages that are ready.
     * @return list<Message>
     */
    public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array
    {
        Fault::atLeast($count, 1, 1);
        $timeout = Fault::seconds($timeout, 2);
        $run = Fault::seconds($timeToRun, 3);
        $messages = [];
        while (\count($messages) < $count && ($message = $this->popOne($messages === [] ? $timeout : 0.0, $run)) !== null) {
            $messages[] = $message;
        }
        return $messages;
    }

    /**
     * Look without reserving: the message with this id in whatever state, or the one that would be popped next.
     * @throws StaticCacheException a class of the body is gone or has changed
     */
    public function peek(?string $id = null): ?Message
    {
        $item = $id === null ? $this->state->first() : $this->state->find($id);
        return $item !== null ? $this->message($item, $item->body->decode()) : null;
    }

    /**
     * All messages, or so many, in whatever state and no order, without reserving them.
     * @throws StaticCacheException as peek(), whichever of them it is
     * @return list<Message>
     */
    public function list(int $limit = 0): array
    {
        Fault::atLeast($limit, 0, 1);
        $items = $limit === 0 ? $this->state->all() : \array_slice($this->state->all(), 0, $limit);
        return array_map(fn(QueueItem $item) => $this->message($item, $item->body->decode()), $items);
    }

    /** Remove a message; false when there is none of this id, or another process has reserved it. */
    public function delete(string $id): bool
    {
        $item = $this->state->find($id);
        if ($item === null) {
            return false;
        }
        $this->state->remove($item, 'deleted');
        return true;
    }

    /** Make at most so many buried messages ready, the oldest first. How many. */
    public function kick(int $count = PHP_INT_MAX): int
    {
        return $this->state->kick(Fault::atLeast($count, 0, 1));
    }

    /**
     * Remove all messages that nobody has reserved; with $reserved those of workers, too, whose ack(), release() and
     * bury() then answer false. How many.
     */
    public function clear(bool $reserved = false): int
    {
        return $this->state->clear($reserved);
    }

    public function info(): QueueInfo
    {
        return $this->state->info();
    }

    private function popOne(float $timeout, float $run): ?Message
    {
        $item = $this->state->pop($timeout, $run);
        if ($item === null) {
            return null;
        }
        try {
            $body = $item->body->decode();
        } catch (\Throwable $error) {
            $this->state->enter($item, 'buried'); // the next one would fail, too
            throw $error;
        }
        return $this->message($item, $body, isReserved: true, run: $run);
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
            'item' => $item,
            'isReserved' => $isReserved,
            'timeToRun' => $run,
        ]);
    }

    /** @return array{float, float, float} delay, time to live, wait */
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
