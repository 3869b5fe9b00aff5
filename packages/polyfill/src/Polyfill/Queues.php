<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * All queues. A message has one record for its body and another one for its state, so that a change of the state does not write the body
 * again.
 */
final class Queues implements Part
{
    private static ?self $all = null;

    public readonly Log $log;
    public readonly int $size;
    /** Bytes of all messages. */
    public int $used = 0;
    /** @var array<QueueState> by name */
    private array $queues = [];
    /** @var array<Encoded> by queue and id: the bodies that apply() keeps until it gets the states of their messages */
    private array $bodies = [];

    private function __construct()
    {
        $this->size = Settings::size('queue');
        $this->log = new Log($this, Place::of('queue'));
    }

    public static function shared(): self
    {
        return self::$all ??= new self();
    }

    public function record(string $kind, string $key): mixed
    {
        if ($kind === 'queue') {
            return $this->queue($key)->record();
        }
        [$name, $id] = self::split($key);
        $item = $this->queue($name)->item($id);
        return $kind === 'body' ? $item?->body->record() : $item?->record();
    }

    public function apply(string $kind, string $key, mixed $record): void
    {
        \assert($record === null || \is_array($record));
        [$name, $id] = $kind === 'queue' ? [$key, 0] : self::split($key);
        $queue = $this->queue($name);
        if ($kind === 'queue') {
            $queue->apply($record ?? []);
        } elseif ($kind === 'body') {
            $this->bodies[$key] = Encoded::fromRecord($record ?? []);
        } else {
            $body = $this->bodies[$key] ?? $queue->item($id)?->body;
            unset($this->bodies[$key]);
            $queue->place($id, $record !== null && $body !== null ? QueueItem::fromRecord($id, $body, $record) : null);
        }
    }

    public function all(): iterable
    {
        foreach ($this->queues as $name => $queue) {
            yield ['queue', (string) $name];
            foreach ($queue->ids() as $id) {
                yield ['body', self::key((string) $name, $id)];
                yield ['message', self::key((string) $name, $id)];
            }
        }
    }

    public function forget(): void
    {
        foreach ($this->queues as $queue) {
            $queue->forget();
        }
        $this->used = 0;
        $this->bodies = [];
    }

    public function forked(): void
    {
        Owner::forked();
    }

    public function finish(): void {}

    public function queue(string $name): QueueState
    {
        return $this->queues[$name] ??= new QueueState($name, $this);
    }

    /** @return list<string> */
    public function names(): array
    {
        $this->log->load();
        $opened = array_filter($this->queues, static fn(QueueState $queue) => $queue->isOpened());
        return array_map(strval(...), array_keys($opened));
    }

    public static function key(string $name, int $id): string
    {
        return "$id $name";
    }

    /** @return array{string, int} */
    private static function split(string $key): array
    {
        [$id, $name] = explode(' ', $key, 2);
        return [$name, (int) $id];
    }
}
