<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Fault;
use Larder\Polyfill\Record;

/** Files that file_get_contents() returns from shared memory if larder.file_cache = 1. */
final class FileCache
{
    private function __construct() {}

    public static function invalidate(string $path): bool
    {
        Fault::most(\func_num_args(), 1);
        return false;
    }

    public static function info(): FileCacheInfo
    {
        Fault::most(\func_num_args(), 0);
        return Record::make(FileCacheInfo::class, [
            'enabled' => false,
            'entry_count' => 0,
            'bytes' => 0,
            'hits' => 0,
            'misses' => 0,
            'revalidations' => 0,
        ]);
    }
}
