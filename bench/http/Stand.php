<?php

declare(strict_types=1);

namespace Bench\Http;

use Bench\Drivers;
use Bench\Place;
use RuntimeException;
use Servers\Folder;
use Servers\Programs;
use Servers\Web;
use Servers\Wrk;

/** Runs the application: its servers, the processors on which they run, and the load. */
final class Stand
{
    public const CONNECTIONS = 8;

    /** The processors of programs: wrk and nginx on $front, the workers and the caches' servers on $back. Null means any processor. */
    public readonly ?int $front;
    public readonly ?int $back;
    public readonly Web $web;
    public readonly Backends $backends;

    public function __construct(private readonly string $folder)
    {
        [$this->front, $this->back] = self::processors();
        $this->backends = new Backends($folder, $this->back);
        $params = [
            Place::SOCKETS => $this->backends->sockets,
            Place::FILES => "$folder/files",
            Place::VENDOR => "$folder/vendor",
        ];
        $app = dirname(__DIR__) . '/app';
        $this->web = new Web($folder, $app, self::ini(), $params, Folder::freePort(), $this->front, $this->back);
    }

    /** @return array<string, ?string> for each driver: null if it works, otherwise the reason why it does not */
    public function start(): array
    {
        $vendor = dirname(__DIR__, 2) . '/build/bench/composer/vendor';
        is_dir($vendor) && Web::copy($vendor, "$this->folder/vendor");
        mkdir("$this->folder/files");
        posix_geteuid() === 0 && chown("$this->folder/files", 'www-data');
        $this->backends->start(Drivers::names());
        $this->web->start();
        $status = json_decode($this->get('/status'), true, 512, JSON_THROW_ON_ERROR);
        self::checkSettings($status);
        return $status['drivers'];
    }

    public function stop(): void
    {
        $this->web->stop();
        $this->backends->stop();
    }

    public function check(): void
    {
        $this->web->check();
        $this->backends->check();
    }

    /** Runs wrk once with load.lua. */
    public function load(string $path, ?string $expected, int $seconds, ?callable $meanwhile = null): Load
    {
        $arguments = $expected === null ? [] : [$expected];
        $url = $this->web->url . $path;
        $script = __DIR__ . '/load.lua';
        return new Load(Wrk::run($url, $script, $arguments, $seconds, self::CONNECTIONS, 1, $meanwhile, $this->front));
    }

    /** Returns the body of a page, which must exist. */
    public function get(string $path): string
    {
        [$status, $text] = $this->web->ask($path);
        return $status === 200 ? $text : throw new RuntimeException("$path gave $status: $text\n" . $this->web->logs());
    }

    /** @return list<string> lines of php.ini: the settings of all drivers and of this benchmark, without missing extensions */
    private static function ini(): array
    {
        $lines = ['zend_extension=opcache'];
        foreach (Drivers::names() as $driver) {
            array_push($lines, ...Settings::of($driver));
        }
        array_push($lines, 'opcache.enable=1', 'opcache.validate_timestamps=0', 'memory_limit=256M');
        array_push($lines, 'display_errors=0', 'log_errors=1', 'expose_php=0');
        return array_values(array_unique($lines));
    }

    /** Checks that the workers use the settings of ini(). */
    private static function checkSettings(array $status): void
    {
        foreach (self::ini() as $line) {
            [$name, $value] = explode('=', $line);
            $is = match ($name) {
                'extension', 'zend_extension' => $value,
                default => $status['settings'][$name] ?? null,
            };
            $is === $value || throw new RuntimeException("the workers have $name=$is instead of $value");
        }
        in_array('Zend OPcache', $status['extensions'], true) || throw new RuntimeException('the workers have no opcache');
    }

    /** @return array{?int, ?int} a processor for the load, and one for the measured processes; both are null if there is only one processor */
    public static function processors(): array
    {
        preg_match('/^Cpus_allowed_list:\s*(.*)$/m', (string) file_get_contents('/proc/self/status'), $found);
        $all = [];
        foreach (explode(',', $found[1] ?? '0') as $range) {
            [$first, $last] = [...explode('-', $range), (string) (int) $range];
            array_push($all, ...range((int) $first, (int) $last));
        }
        return count($all) < 2 ? [null, null] : [$all[0], $all[1]];
    }
}
