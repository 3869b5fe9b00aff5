<?php

declare(strict_types=1);

namespace Larder\Work;

use Larder\Message;
use Larder\Queue;
use Larder\StaticCacheException;

/** A process that handles messages until a signal stops it or it reaches a limit. */
final class Worker
{
    /** The longest wait for a message, in seconds. A signal that arrives just before a wait is noticed only after the wait. */
    private const WAIT = 1;

    private readonly Queue $queue;
    /** @var callable(mixed, Message): mixed */
    private $handler;
    private bool $stopping = false;
    private int $handled = 0;
    /** The message that is being handled, or null. */
    private ?Message $message = null;

    /**
     * @param callable(mixed, Message): mixed $handler
     * @param int $supervisor the process id of the Supervisor
     */
    public function __construct(private readonly Options $options, callable $handler, private readonly \Closure $log, private readonly int $supervisor)
    {
        $this->queue = Queue::open($options->queue);
        $this->handler = $handler;
    }

    /** Makes the process stop after the current message. */
    public function stop(): void
    {
        $this->stopping = true;
    }

    /** Handles messages. Returns true if it stopped because the queue was empty. */
    public function run(): bool
    {
        pcntl_async_signals(true);
        pcntl_signal(\SIGTERM, fn() => $this->stop());
        pcntl_signal(\SIGINT, fn() => $this->stop());
        register_shutdown_function($this->exited(...));
        while (!$this->stopping && !$this->hasEnough()) {
            // scope() releases the memory of the message's body
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
        return posix_getppid() !== $this->supervisor // without the supervisor, nothing can tell this process to stop
            || ($options->messages > 0 && $this->handled >= $options->messages)
            || ($options->memory > 0 && memory_get_usage(true) > $options->memory);
    }

    /** If the handler has called exit(), logs this, and ends the process with exit code 1. */
    private function exited(): void
    {
        $fatal = \E_ERROR | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR | \E_RECOVERABLE_ERROR;
        if ($this->message?->isReserved() && ((error_get_last()['type'] ?? 0) & $fatal) === 0) {
            ($this->log)("message {$this->message->id}, attempt {$this->message->attempts}: its handler called exit()");
            register_shutdown_function(static fn() => exit(1)); // exit(1) must run after the shutdown functions that the handler has registered
        }
    }

    private function next(): bool
    {
        try {
            $message = $this->queue->pop($this->options->once ? 0 : self::WAIT, $this->options->timeToRun);
        } catch (\Throwable $error) {
            if ($error instanceof StaticCacheException && $error->getCode() !== 0) {
                throw $error; // the next process opens the store again
            }
            ($this->log)('a message was buried: ' . $error::class . ': ' . $error->getMessage()); // the body cannot be restored
            return true;
        }
        if ($message === null) {
            return false;
        }
        $this->handled++;
        if ($this->options->tries > 0 && $message->attempts > $this->options->tries) {
            $this->fail($message, $message->attempts - 1, 'its worker died, gave it back or took too long');
            return true;
        }
        $this->message = $message;
        try {
            ($this->handler)($message->body, $message);
        } catch (\Throwable $error) {
            $this->retry($message, $error);
            return true;
        } finally {
            $this->message = null;
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
            $this->fail($message, $message->attempts, $text);
            return;
        }
        ($this->log)("message {$message->id}, attempt {$message->attempts}: $text");
        $message->release($this->options->delay);
    }

    /**
     * Pushes the message to the queue of failed messages, and then removes it from its own queue. If the process dies in between, both
     * queues have the message. Buries the message if there is no queue of failed messages, or if that queue has no room.
     */
    private function fail(Message $message, int $attempts, string $why): void
    {
        ($this->log)("message {$message->id} failed after $attempts attempts: $why");
        if (!$message->isReserved()) {
            return;
        }
        if ($this->options->dead !== null && $this->pushed($this->options->dead, $message, $attempts, $why)) {
            $message->ack();
        } else {
            $message->bury();
        }
    }

    private function pushed(string $dead, Message $message, int $attempts, string $why): bool
    {
        $body = ['queue' => $this->options->queue, 'id' => $message->id, 'attempts' => $attempts, 'error' => $why, 'body' => $message->body];
        try {
            return Queue::open($dead)->push($body) !== null;
        } catch (\Throwable $error) { // for example because the handler has changed an object in the body
            ($this->log)("message {$message->id} is buried, not in $dead: " . $error::class . ': ' . $error->getMessage());
            return false;
        }
    }
}
