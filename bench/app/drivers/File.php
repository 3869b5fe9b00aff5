<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Packed;
use Bench\Place;
use RuntimeException;

/** A file for each key. Counters are changed under a lock; values are replaced by renaming a new file. */
final class File implements Driver
{
    public const SETTINGS = ['extension=igbinary'];

    private readonly string $folder;

    public function __construct()
    {
        $this->folder = Place::files();
    }

    public function increment(string $key): int
    {
        $file = fopen("$this->folder/$key", 'c+');
        if ($file === false || !flock($file, LOCK_EX)) {
            throw new RuntimeException("$this->folder/$key cannot be opened");
        }
        $sum = (int) fgets($file) + 1;
        rewind($file);
        fwrite($file, (string) $sum);
        fclose($file); // this unlocks, too
        return $sum;
    }

    public function store(string $key, mixed $value): void
    {
        $new = "$this->folder/$key." . getmypid();
        file_put_contents($new, Packed::pack($value)) !== false && rename($new, "$this->folder/$key")
            || throw new RuntimeException("$this->folder/$key cannot be written");
    }

    public function fetch(string $key): mixed
    {
        $text = @file_get_contents("$this->folder/$key");
        return $text === false ? null : Packed::unpack($text);
    }
}
