<?php

declare(strict_types=1);

namespace Larder\Work;

use Larder\Message;
use Larder\Queue;
use Larder\StaticCacheException;

/** One process that handles messages, one after the other, until it is told to stop or has had enough. */
final class Worker
{
    /** A signal that comes between the check and the wait is noticed after so long. */
    private const WAIT = 1;

    private readonly Queue $queue;
    /** @var callable(mixed, Message): mixed */
    private $handler;
    private bool $stopping = false;
    private int $handled = 0;

    /** @param callable(mixed, Message): mixed $handler */
    public function __construct(private readonly Options $options, callable $handler, private readonly \Closure $log)
    {
        $this->queue = Queue::open($options->queue);
        $this->handler = $handler;
    }

    /** After the message that is being handled, if there is one. */
    public function stop(): void
    {
        $this->stopping = true;
    }

    /** Whether it ended because the queue was empty. */
    public function run(): bool
    {
        pcntl_async_signals(true);
        pcntl_signal(\SIGTERM, fn() => $this->stop());
        pcntl_signal(\SIGINT, fn() => $this->stop());
        while (!$this->stopping && !$this->hasEnough()) {
            // What a message's body holds of shared memory ends with its scope, where there are scopes.
            $found = \function_exists('Larder\scope') ? \Larder\scope(fn() => $this->next()) : $this->next();
            if (!$found && $this->options->once) {
                return true;
            }
        }
        return false;
    }

    private function hasEnough(): bool
    {
        $options = $this->options;
        return ($options->messages > 0 && $this->handled >= $options->messages)
            || ($options->memory > 0 && memory_get_usage(true) > $options->memory);
    }

    private function next(): bool
    {
        try {
            $message = $this->queue->pop($this->options->once ? 0 : self::WAIT, $this->options->timeToRun);
        } catch (\Throwable $error) {
            if ($error instanceof StaticCacheException && $error->getCode() !== 0) {
                throw $error; // the store cannot be used: another process opens it anew
            }
            ($this->log)('a message was buried: ' . $error::class . ': ' . $error->getMessage()); // its body cannot be restored
            return true;
        }
        if ($message === null) {
            return false;
        }
        $this->handled++;
        if ($this->options->tries > 0 && $message->attempts > $this->options->tries) {
            $this->fail($message, 'whoever handled it died');
            return true;
        }
        try {
            ($this->handler)($message->body, $message);
        } catch (\Throwable $error) {
            $this->retry($message, $error);
            return true;
        }
        if ($message->isReserved() && !$message->ack()) {
            ($this->log)("message {$message->id} took longer than its time to run; it is handled again");
        }
        return true;
    }

    private function retry(Message $message, \Throwable $error): void
    {
        $text = $error::class . ': ' . $error->getMessage();
        if ($this->options->tries > 0 && $message->attempts >= $this->options->tries) {
            $this->fail($message, $text);
            return;
        }
        ($this->log)("message {$message->id}, attempt {$message->attempts}: $text");
        $message->release($this->options->delay);
    }

    /** Into the queue of the dead first, then out of this one: who is killed in between leaves it in both. */
    private function fail(Message $message, string $why): void
    {
        ($this->log)("message {$message->id} failed after {$message->attempts} attempts: $why");
        if (!$message->isReserved()) {
            return;
        }
        $dead = ['queue' => $this->options->queue, 'id' => $message->id, 'attempts' => $message->attempts, 'error' => $why, 'body' => $message->body];
        if ($this->options->dead !== null && Queue::open($this->options->dead)->push($dead) !== null) {
            $message->ack();
        } else {
            $message->bury();
        }
    }
}
