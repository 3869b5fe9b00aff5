<?php
/* Shared by the tests of the file cache: plain() reads a file with PHP's own function, and same() compares the cache's result with it. */

use Larder\FileCache;

/* Returns a folder that is removed when the test ends. */
function files_folder(): string
{
    $folder = sys_get_temp_dir() . '/larder-files-' . getmypid();
    mkdir($folder);
    register_shutdown_function(fn () => getmypid() === (int) substr(strrchr($folder, '-'), 1) && exec('rm -rf ' . escapeshellarg($folder)));
    return $folder;
}

/* Reads a file with PHP's own function (with a context, the cache is not used). Returns the content and the error message. */
function plain(string $path): array
{
    error_clear_last();
    $content = @file_get_contents($path, false, stream_context_create());
    return [$content, error_get_last()['message'] ?? ''];
}

function cached(string $path): array
{
    error_clear_last();
    $content = @file_get_contents($path);
    return [$content, error_get_last()['message'] ?? ''];
}

/* Checks twice that a read with the cache gives the same result as PHP's own function. */
function same(string $what, string $path): void
{
    for ($i = 0; $i < 2; $i++) {
        [$plain, $cached] = [plain($path), cached($path)];
        if ($plain !== $cached) {
            echo "$what: ", json_encode([$cached, 'instead of', $plain], JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
            return;
        }
    }
    echo "$what: ", $plain[0] === false ? preg_replace('/^.*: /', '', $plain[1]) : (strlen($plain[0]) > 20 ? strlen($plain[0]) . ' bytes' : json_encode($plain[0])), "\n";
}

/* Reads a file until it is in the cache. The cache stores a file only some time after the file's last change. */
function keep(string $path): void
{
    for ($i = 0; $i < 1000; $i++) {
        $hits = FileCache::info()->hits;
        file_get_contents($path);
        if (FileCache::info()->hits > $hits) {
            return;
        }
        usleep(10000);
    }
    die("$path is never kept\n");
}

/* Returns true if a read is answered from the cache. */
function hit(string $path): bool
{
    $hits = FileCache::info()->hits;
    @file_get_contents($path);
    return FileCache::info()->hits > $hits;
}
