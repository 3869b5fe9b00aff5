<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\StaticCacheException;

/**
 * Shares a store among processes through files. Begin reading at run(). A store consists of records (see Part), of which each process has a
 * copy. The file PATH.N is a list of frames: a length, a checksum, and the records that one call of run() has changed. The file PATH
 * contains the number N, and is the file that processes lock.
 *
 * - A writer takes the exclusive lock and reads all frames before it writes. So all calls of run() happen one after the other.
 * - A killed process may leave an incomplete frame at the end. Readers ignore it, and the next writer cuts it off.
 * - A process has all records if its open file PATH.N has not grown and was not removed (fstat()). So a writer that copies the records to
 *   PATH.N+1 first appends an empty frame to PATH.N, and then stores the new number in PATH.
 * - If PATH is removed, the next process begins with PATH.0, and removes the other files.
 * - No code of the program runs within run(): no hook, no loader of classes, no handler of a signal (see whole()). Nested calls of run()
 *   are a part of the outer one.
 * - A forked child opens the files again. Otherwise parent and child would share their locks.
 */
final class Log
{
    /** If PATH.N has more than LEAST bytes, and is GROWTH times as large as after the last copy, the records are copied to a new file. */
    private const LEAST = 1 << 18;
    private const GROWTH = 4;
    private const HEAD = 8;
    /** A text of fewer bytes is copied behind its head, so that one call writes the frame. A second call writes a longer text. */
    private const COPIED = 1 << 16;

    /** @var resource|null */
    private mixed $control = null;
    /** @var resource|null */
    private mixed $data = null;
    private int $generation = -1;
    /** @var int<0, max> the offset of the next frame */
    private int $offset = 0;
    /** The size of PATH.N in bytes after the last attempt to copy the records (see LEAST). */
    private int $base = 0;
    private int $process;
    private bool $runs = false;
    /** @var array<string, array{string, string}> the kind and the key of each changed record */
    private array $changed = [];
    /** How often the files were removed, and the store became empty. */
    public int $losses = 0;

    /** @param string|null $path the path of the files; null: this process does not share the store */
    public function __construct(private readonly Part $part, public readonly ?string $path)
    {
        $this->process = (int) getmypid();
        register_shutdown_function($this->finish(...));
    }

    /**
     * Calls a function that changes records, and returns its result. No other process reads or changes them meanwhile. An exception undoes
     * the changes.
     * @template T
     * @param callable(): T $do
     * @return T
     */
    public function run(callable $do): mixed
    {
        $this->process === getmypid() || $this->forked();
        if ($this->runs || !$this->isShared()) {
            return $do();
        }
        return self::whole(function () use ($do): mixed {
            try {
                $this->lock(LOCK_EX);
                $this->runs = true;
                $result = $do();
                $this->append();
                return $result;
            } finally {
                $this->end();
            }
        });
    }

    /** Reads the changes of other processes. */
    public function load(): void
    {
        $this->process === getmypid() || $this->forked();
        if ($this->runs || !$this->isShared()) {
            return;
        }
        $state = $this->data !== null && $this->generation >= 0 ? fstat($this->data) : false;
        if ($state === false || $state['size'] !== $this->offset || ($state['nlink'] === 0 && !Place::isLeft())) {
            self::whole(function (): void {
                try {
                    $this->lock(LOCK_SH);
                } finally {
                    $this->end();
                }
            });
        }
    }

    /** Notes that a record was changed, added or removed. */
    public function changed(string $kind, string $key): void
    {
        \assert($this->runs || !$this->isShared());
        if ($this->runs) {
            $this->changed["$kind\0$key"] = [$kind, $key];
        }
    }

    /**
     * Calls a function, and runs signal handlers only after it. A handler might throw, or use this store and so unlock the files.
     * @template T
     * @param callable(): T $do
     * @return T
     */
    private static function whole(callable $do): mixed
    {
        if (!\function_exists('pcntl_async_signals') || !pcntl_async_signals()) {
            return $do();
        }
        try {
            pcntl_async_signals(false);
            return $do();
        } finally {
            pcntl_async_signals(true);
            pcntl_signal_dispatch();
        }
    }

    private function isShared(): bool
    {
        return $this->path !== null && ($this->control !== null || !Place::isLeft());
    }

    /** @param 1|2 $how LOCK_SH or LOCK_EX */
    private function lock(int $how): void
    {
        for ($tries = 0; $tries < 10000; $tries++) {
            $this->control ??= $this->open((string) $this->path, 'c+be');
            if (!flock($this->control, $how)) { // a signal came
                continue;
            }
            if (Place::isLeft() || (fstat($this->control)['nlink'] ?? 1) > 0) {
                $this->catchUp($this->control, mayCut: $how === LOCK_EX);
                return;
            }
            $this->control = $this->data = null; // the files were removed
            $this->generation = -1;
            $this->losses++;
        }
        throw new StaticCacheException("The file $this->path cannot be locked");
    }

    private function end(): void
    {
        $this->runs = false;
        if ($this->changed !== []) { // run() has not finished: drop its changes by reading all records again in the next call
            $this->changed = [];
            $this->generation = -1;
        }
        if ($this->control !== null) {
            flock($this->control, LOCK_UN);
        }
    }

    /** @param resource $control */
    private function catchUp(mixed $control, bool $mayCut): void
    {
        $size = $this->data !== null ? self::size($this->data) : -1;
        if ($this->generation >= 0 && $size === $this->offset) {
            return;
        }
        fseek($control, 0, SEEK_END); // makes PHP drop its buffered bytes
        rewind($control);
        $generation = (int) fread($control, 20);
        if ($this->data === null || $generation !== $this->generation) {
            $generation > 0 || $this->removeOld();
            $this->data = $this->open("$this->path.$generation", 'c+be');
        }
        if ($generation !== $this->generation) {
            $this->part->forget();
            $this->offset = $this->base = 0;
            $this->generation = $generation;
        }
        $data = $this->data;
        $size = self::size($data);
        $this->read($data, $size);
        if ($mayCut && $this->offset < $size) {
            ftruncate($data, $this->offset);
        }
    }

    /** Removes the files PATH.N that remain after PATH was removed. Processes that have such a file open notice this with fstat(). */
    private function removeOld(): void
    {
        foreach (glob("$this->path.*", GLOB_NOSORT) ?: [] as $file) {
            $number = substr($file, \strlen("$this->path."));
            // files with other names may belong to another scope
            if ($number !== '0' && preg_match('/^\d+$/D', $number) === 1) {
                @unlink($file);
            }
        }
    }

    /** @param resource $data */
    private function read(mixed $data, int $size): void
    {
        fseek($data, 0, SEEK_END); // makes PHP drop its buffered bytes, which may end within a frame
        fseek($data, $this->offset);
        while ($this->offset + self::HEAD <= $size) {
            /** @var array{1: int, 2: int} $head */
            $head = unpack('N2', (string) stream_get_contents($data, self::HEAD));
            [1 => $length, 2 => $sum] = $head;
            $text = $length > 0 && $length <= $size - $this->offset - self::HEAD ? (string) stream_get_contents($data, $length) : '';
            if (\strlen($text) !== $length || crc32($text) !== $sum) {
                break;
            }
            /** @var list<array{string, string, mixed}> $records */
            $records = $text !== '' ? unserialize($text, ['allowed_classes' => false]) : [];
            foreach ($records as [$kind, $key, $record]) {
                if ($kind === 'base') {
                    $this->base = (int) $key;
                } else {
                    $this->part->apply($kind, $key, $record);
                }
            }
            $this->offset += self::HEAD + $length;
        }
    }

    private function append(): void
    {
        if ($this->changed === []) {
            return;
        }
        \assert($this->data !== null);
        $text = $this->text(array_values($this->changed));
        fseek($this->data, $this->offset);
        if (!self::write($this->data, $text)) {
            ftruncate($this->data, $this->offset);
            throw new StaticCacheException("The file $this->path.$this->generation cannot be written: is the disk full?");
        }
        $this->changed = [];
        $this->offset += self::HEAD + \strlen($text);
        if ($this->offset > max(self::LEAST, self::GROWTH * $this->base)) {
            $this->copy();
        }
    }

    private function copy(): void
    {
        \assert($this->data !== null && $this->control !== null);
        $next = $this->generation + 1;
        $copy = @fopen("$this->path.$next", 'w+be');
        $isWritten = $copy !== false && $this->writeAll($copy);
        if ($copy === false || !$isWritten || !$this->turnTo($next)) { // the disk is full; try again later
            @unlink("$this->path.$next");
            $this->base = $this->offset;
            return;
        }
        // Remove the old file, and the file before the old one: Windows may have refused to remove that file earlier.
        $olds = ["$this->path.$this->generation", "$this->path." . ($this->generation - 1)];
        $this->data = $copy;
        $this->generation = $next;
        $this->offset = $this->base = self::size($copy);
        array_map(static fn(string $old) => @unlink($old), $olds);
    }

    /**
     * Makes PATH.$generation the current file. First appends an empty frame to the old file, so that other processes notice the change. If
     * the disk is full, keeps the old file and returns false.
     */
    private function turnTo(int $generation): bool
    {
        \assert($this->data !== null && $this->control !== null);
        if (!self::write($this->data, '')) {
            ftruncate($this->data, $this->offset);
            return false;
        }
        $this->offset += self::HEAD;
        rewind($this->control);
        return @fwrite($this->control, sprintf('%020d', $generation)) === 20;
    }

    /** @param list<array{string, string}> $records */
    private function text(array $records): string
    {
        return Encoded::serialize(array_map(fn(array $id) => [...$id, $this->part->record(...$id)], $records));
    }

    /** @param resource $copy */
    private function writeAll(mixed $copy): bool
    {
        $length = 0;
        foreach ($this->part->all() as $id) {
            $text = $this->text([$id]); // a frame for each record: all records together might take too much memory
            if (!self::write($copy, $text)) {
                return false;
            }
            $length += self::HEAD + \strlen($text);
        }
        return self::write($copy, serialize([['base', (string) $length, null]]));
    }

    /** @param resource $file */
    private static function write(mixed $file, string $text): bool
    {
        $head = pack('N2', \strlen($text), crc32($text));
        if (\strlen($text) < self::COPIED) {
            return @fwrite($file, $head . $text) === self::HEAD + \strlen($text);
        }
        return @fwrite($file, $head) === self::HEAD && @fwrite($file, $text) === \strlen($text);
    }

    /**
     * Called when the request ends. First leaves run(): a fatal error, or exit() in a signal handler, may have ended the request inside
     * run().
     */
    private function finish(): void
    {
        $this->process === getmypid() || $this->forked();
        $this->end();
        try {
            $this->part->finish();
        } catch (StaticCacheException) { // the folder is gone, or the disk is full
        }
    }

    private function forked(): void
    {
        $this->process = (int) getmypid();
        $this->control = $this->data = null;
        $this->runs = false;
        if ($this->changed !== []) {
            $this->changed = [];
            $this->generation = -1;
        }
        $this->part->forked();
    }

    /** @return resource */
    private function open(string $path, string $mode): mixed
    {
        $file = @fopen($path, $mode);
        return $file !== false ? $file : throw new StaticCacheException("The file $path cannot be opened");
    }

    /**
     * @param resource $file
     * @return int<0, max>
     */
    private static function size(mixed $file): int
    {
        $state = fstat($file);
        return $state !== false ? max(0, $state['size']) : 0;
    }
}
