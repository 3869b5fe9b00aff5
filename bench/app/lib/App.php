<?php

declare(strict_types=1);

namespace Bench;

/**
 * The paths, and what a request does:
 *
 *   /cache/DRIVER           adds one to the driver's counter, and answers with the new value
 *   /store/DRIVER/PAYLOAD   stores a payload, and answers "stored"
 *   /fetch/DRIVER/PAYLOAD   fetches a payload, and answers with a digest of a few elements, or of all elements with ?whole
 *   /queue/QUEUE            pushes a short message, and answers "pushed" or "full"; with ?waiting, only counts the waiting messages
 *   /status                 answers with JSON: for each driver, whether it works, or why not; PHP's settings and extensions
 *
 * Errors: 404 lists the paths and names that exist. 503 says which extension or server is missing. 409 means that the payload is not stored.
 */
final class App
{
    private const PATHS = '/cache/DRIVER, /store/DRIVER/PAYLOAD, /fetch/DRIVER/PAYLOAD[?whole], /queue/QUEUE, /status';
    private const COUNTER = 'visits';
    private const KEY = 'payload.';

    /** @return array{int, string} the status and the text */
    public static function answer(string $path, string $query = ''): array
    {
        $part = explode('/', substr($path, 1));
        try {
            return match (count($part) . $part[0]) {
                '2cache' => [200, (string) Drivers::open($part[1])->increment(self::COUNTER)],
                '3fetch' => self::fetch($part[1], $part[2], $query === 'whole'),
                '3store' => self::store($part[1], $part[2]),
                '2queue' => [200, self::queue($part[1], $query === 'waiting')],
                '1status' => [200, self::status()],
                default => throw new Unknown('There is no such page. Paths: ' . self::PATHS
                    . "\nDrivers: " . implode(', ', Drivers::names()) . "\nPayloads: " . implode(', ', Payloads::NAMES)),
            };
        } catch (Unknown $unknown) {
            return [404, $unknown->getMessage() . "\n"];
        } catch (Unavailable $missing) {
            return [503, $missing->getMessage() . "\n"];
        }
    }

    /** @return array{int, string} */
    private static function fetch(string $driver, string $payload, bool $whole): array
    {
        $cache = Drivers::open($driver);
        Payloads::check($payload);
        $value = $cache->fetch(self::KEY . $payload);
        if ($value === null && $driver !== 'fake') {
            return [409, "\"$payload\" is not stored; /store/$driver/$payload does it\n"];
        }
        return [200, $whole ? Digest::whole($value) : Digest::sample($value)];
    }

    /** @return array{int, string} */
    private static function store(string $driver, string $payload): array
    {
        $cache = Drivers::open($driver);
        $cache->store(self::KEY . $payload, Payloads::make($payload));
        return [200, 'stored'];
    }

    /** Pushes a message, or counts the waiting ones. All messages differ, so a consumer can tell if one comes twice. */
    private static function queue(string $name, bool $waiting): string
    {
        try {
            $queue = Pushers::open($name);
            if ($waiting) {
                return (string) $queue->waiting();
            }
            return $queue->push(hrtime(true) . '-' . getmypid()) ? 'pushed' : 'full';
        } catch (\Error $error) {
            throw Pushers::meaning($name, $error);
        }
    }

    private static function status(): string
    {
        $drivers = [];
        foreach (Drivers::names() as $name) {
            try {
                Drivers::open($name)->increment('status');
                $drivers[$name] = null;
            } catch (Unavailable $missing) {
                $drivers[$name] = $missing->getMessage();
            }
        }
        $status = ['drivers' => $drivers, 'extensions' => get_loaded_extensions(), 'settings' => ini_get_all(null, false)];
        return json_encode($status, JSON_THROW_ON_ERROR);
    }
}
