<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * Serves the page, its data as JSON, and metrics, all about the stores of the serving process. Start with serve(). The dashboard is off
 * unless the server or the pool sets LARDER_DASHBOARD = read or write. Only a POST may change something, and its token must equal the token
 * in the cookie (SameSite=Strict). Another site can neither read the token nor make a browser send the cookie.
 */
final class Dashboard
{
    private const COOKIE = 'larder_token';
    private const ENTRIES_MAX = 500;
    private const TEXT_MAX = 100000;
    private const SEARCHED = 5000;
    private const SESSIONS = 50;

    /** @param array<string, mixed> $server */
    private function __construct(private array $server, private bool $writes) {}

    /** @param array<string, mixed> $server $_SERVER */
    public static function serve(array $server): void
    {
        header('X-Content-Type-Options: nosniff');
        header('Cache-Control: no-store');
        header('Referrer-Policy: no-referrer');
        $mode = $server['LARDER_DASHBOARD'] ?? getenv('LARDER_DASHBOARD');
        if ($mode !== 'read' && $mode !== 'write') {
            self::refuse(403, 'The dashboard is off' . (is_string($mode) && $mode !== '' ? ', because LARDER_DASHBOARD is neither read nor write' : '') . '. ' . self::switch() . ' Let only your own people reach it.');
            return;
        }
        if (PHP_SAPI === 'cli-server' && !self::isOwnName($server)) {
            self::refuse(403, 'This server is not called "' . Text::message((string) $server['HTTP_HOST']) . '": use localhost or its address.');
            return;
        }
        (new self($server, $mode === 'write'))->answer();
    }

    /**
     * Returns false if the browser called this server by a host name that another site may own. The site could let the name resolve to this
     * server, and then read the dashboard (DNS rebinding). Only PHP's built-in server needs this check.
     *
     * @param array<string, mixed> $server
     */
    private static function isOwnName(array $server): bool
    {
        $name = strtolower((string) preg_replace('/:\d*$/D', '', (string) ($server['HTTP_HOST'] ?? '')));
        return in_array($name, ['', 'localhost', strtolower((string) gethostname())], true) || str_ends_with($name, '.localhost')
            || @inet_pton(trim($name, '[]')) !== false;
    }

    /** Returns a text that says how to switch the dashboard on in this kind of server. */
    private static function switch(): string
    {
        return match (PHP_SAPI) {
            'fpm-fcgi', 'cgi-fcgi' => 'Switch it on with fastcgi_param LARDER_DASHBOARD read; (or write) in nginx, or env[LARDER_DASHBOARD] = read in the FPM pool.',
            'cli-server' => 'End this server, and start it with the variable: LARDER_DASHBOARD=read php -S 127.0.0.1:8088 larder.php (or write). With sudo: sudo -u www-data LARDER_DASHBOARD=read php -S ...',
            'apache2handler' => 'Switch it on with SetEnv LARDER_DASHBOARD read (or write) in the configuration of Apache.',
            default => 'Switch it on with the environment variable LARDER_DASHBOARD=read (or write) of this server.',
        };
    }

    private static function refuse(int $code, string $message): void
    {
        http_response_code($code);
        header('Content-Type: text/plain; charset=utf-8');
        echo $message, "\n";
    }

    private function answer(): void
    {
        try {
            match (true) {
                isset($_GET['metrics']) => $this->metrics(),
                ($this->server['REQUEST_METHOD'] ?? '') === 'POST' => $this->change(),
                isset($_GET['api']) => $this->json($this->look(self::text('api'))),
                default => $this->page(),
            };
        } catch (Failure $e) {
            self::refuse($e->getCode() === 2 ? 400 : 503, $e->getMessage());
        }
    }

    /** Returns a parameter of the request, or "" if it is missing. */
    private static function text(string $name): string
    {
        $value = $_POST[$name] ?? $_GET[$name] ?? '';
        // refuse an array: clear?prefix[]=x would become an empty prefix, which clears everything
        return is_string($value) ? $value : throw Failure::usage("$name: one text is expected");
    }

    /** Returns the prefix of keys in the request, unescaped. */
    private static function prefix(): string
    {
        return Text::unkey(self::text('prefix'));
    }

    private static function key(): string
    {
        $key = base64_decode(self::text('id'), true);
        return $key === false || $key === '' ? throw Failure::usage('id: the key in base64 is expected') : $key;
    }

    private static function store(): string
    {
        $store = self::text('store') !== '' ? self::text('store') : 'volatile';
        return in_array($store, Operations::STORES, true) ? $store : throw Failure::usage('store: one of ' . implode(', ', Operations::STORES) . ' is expected');
    }

    /** @param array<string, mixed> $arguments */
    private static function ask(string $operation, array $arguments = []): array
    {
        return (new Operations())->run($operation, $arguments);
    }

    private function metrics(): void
    {
        $prefixes = [];
        foreach (array_filter((array) ($_GET['prefix'] ?? []), is_string(...)) as $prefix) {
            try {
                $prefixes[$prefix] = self::ask('totals', ['prefix' => $prefix])['totals'];
            } catch (Failure) { // larder_up reports that the store is off
                break;
            }
        }
        header('Content-Type: ' . OpenMetrics::TYPE);
        try {
            $queues = self::ask('queues')['queues'];
        } catch (Failure) { // queues are off
            $queues = [];
        }
        echo OpenMetrics::text(self::ask('stats'), $prefixes, $queues);
    }

    /** @return array<mixed> */
    private function look(string $api): array
    {
        return match ($api) {
            'stats' => self::ask('stats'),
            'totals' => $this->totals(),
            'threads' => $this->threads(),
            'get' => self::ask('get', ['store' => self::store(), 'key' => self::key(), 'details' => true, 'most' => self::TEXT_MAX]),
            'entries' => $this->entries(),
            'sessions' => $this->sessions(),
            'settings' => self::ask('settings'),
            'queues' => ['queues' => array_map(fn(array $queue): array => ['id' => base64_encode($queue['name']), 'name' => Text::key($queue['name'])] + $queue, self::ask('queues')['queues'])],
            default => throw Failure::usage("api: nothing is called \"$api\""),
        };
    }

    /** @return array<mixed> */
    private function totals(): array
    {
        $totals = self::ask('totals', ['store' => self::store()])['totals'];
        return ['totals' => array_combine(array_map(fn(int|string $pool): string => Text::key((string) $pool), array_keys($totals)), $totals)];
    }

    /**
     * Returns a page of the entries whose keys begin with the text, in the chosen order. A text with wildcards (* or ?) is a pattern. Only
     * the first entries (SEARCHED) are compared with a pattern.
     * @return array<mixed>
     */
    private function entries(): array
    {
        $order = self::text('order') !== '' ? self::text('order') : 'size';
        $limit = min(self::ENTRIES_MAX, max(1, (int) self::text('limit')));
        $offset = min(self::SEARCHED, max(0, (int) self::text('offset')));
        $literal = substr(self::text('prefix'), 0, strcspn(self::text('prefix'), '*?'));
        $isPattern = $literal !== self::text('prefix');
        $arguments = ['store' => self::store(), 'prefix' => Text::unkey($literal), 'order' => $order, 'limit' => $isPattern ? self::SEARCHED : $offset + $limit + 1];
        $entries = self::ask('entries', $arguments)['entries'];
        $searched = count($entries);
        if ($isPattern) {
            $pattern = self::pattern(self::prefix());
            $entries = array_values(array_filter($entries, fn(array $entry): bool => preg_match($pattern, $entry['key']) === 1));
        }
        $page = array_map(fn(array $entry): array => ['id' => base64_encode($entry['key']), 'key' => Text::key($entry['key']), 'pool' => $entry['pool'] !== null ? Text::key($entry['pool']) : null] + $entry, array_slice($entries, $offset, $limit));
        $more = count($entries) > $offset + $limit;
        return ['entries' => $page, 'more' => $more && $offset + $limit <= self::SEARCHED, 'cut' => $more && $offset + $limit > self::SEARCHED, 'searched' => $isPattern ? $searched : 0];
    }

    /**
     * Returns the regular expression for a text with wildcards. It tries only the first match after each *, so no comparison takes long.
     * The key may continue after the match.
     */
    private static function pattern(string $text): string
    {
        $parts = array_map(fn(string $part): string => strtr(preg_quote($part, '/'), ['\?' => '.']), explode('*', $text));
        return '/^' . array_shift($parts) . implode('', array_map(fn(string $part): string => $part !== '' ? "(?>.*?$part)" : '', $parts)) . '/s';
    }

    /**
     * Returns the figures of each save path, and the largest sessions without their ids, which are secret.
     * @return array<mixed>
     */
    private function sessions(): array
    {
        $paths = [];
        foreach (self::ask('totals', ['store' => 'session'])['totals'] as $path => $total) {
            if ($total['entries'] > 0) {
                $paths[] = ['id' => base64_encode("$path\0"), 'path' => Text::key((string) $path)] + $total;
            }
        }
        usort($paths, fn(array $a, array $b): int => $b['bytes'] <=> $a['bytes']);
        $entries = self::ask('entries', ['store' => 'session', 'order' => 'size', 'limit' => self::SESSIONS])['entries'];
        return ['paths' => $paths, 'sessions' => array_map(fn(array $entry): array => ['id' => base64_encode($entry['key']), 'pool' => Text::key($entry['pool'])] + $entry, $entries)];
    }

    /** @return array<mixed> */
    private function threads(): array
    {
        $threads = self::ask('threads', ['store' => self::store()])['threads'];
        foreach ($threads as &$thread) {
            $thread['name'] = trim(strtr((string) @file_get_contents("/proc/{$thread['thread']}/cmdline"), "\0", ' '));
        }
        return ['threads' => $threads];
    }

    /** Handles the requests that change something. */
    private function change(): void
    {
        $token = $_COOKIE[self::COOKIE] ?? '';
        $site = $this->server['HTTP_SEC_FETCH_SITE'] ?? 'same-origin';
        match (true) {
            !$this->writes => self::refuse(403, 'The dashboard is read-only here: LARDER_DASHBOARD is "read".'),
            !is_string($token) || strlen($token) !== 64 || !hash_equals($token, self::text('token')) => self::refuse(403, 'The token is missing or not that of this browser: load the page anew.'),
            $site !== 'same-origin' => self::refuse(403, 'The request comes from another site.'),
            self::text('api') === 'delete' => $this->json(self::ask('delete', ['store' => self::store(), 'keys' => [self::key()]])),
            self::text('api') === 'clear_sessions' => $this->json(self::ask('clear', ['store' => 'session', 'prefix' => self::key()])),
            self::text('api') === 'clear_queue' => $this->json(self::ask('clear_queue', ['name' => self::key()])),
            self::text('api') === 'kick_queue' => $this->json(self::ask('kick', ['name' => self::key()])),
            self::text('api') === 'clear' => $this->json(self::ask('clear', ['store' => self::store(), 'prefix' => self::prefix()])),
            default => self::refuse(400, 'api: delete, clear, clear_sessions, clear_queue or kick_queue is expected'),
        };
    }

    /** @param array<mixed> $data */
    private function json(array $data): void
    {
        header('Content-Type: application/json');
        echo json_encode($data, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_HEX_TAG | JSON_HEX_AMP);
    }

    private function page(): void
    {
        $token = $_COOKIE[self::COOKIE] ?? '';
        if (!is_string($token) || !preg_match('/^[0-9a-f]{64}$/D', $token)) {
            $token = bin2hex(random_bytes(32));
            $secure = ($this->server['HTTPS'] ?? '') !== '' && ($this->server['HTTPS'] ?? '') !== 'off';
            $path = strtok((string) ($this->server['REQUEST_URI'] ?? '/'), '?') ?: '/';
            // the path of a cookie must not contain a comma, a semicolon or a space
            $path = preg_match('/^[!-+\--:<-~]+$/D', $path) ? $path : '/';
            setcookie(self::COOKIE, $token, ['httponly' => true, 'samesite' => 'Strict', 'secure' => $secure, 'path' => $path]);
        }
        $nonce = bin2hex(random_bytes(16));
        header("Content-Security-Policy: default-src 'none'; connect-src 'self'; style-src 'nonce-$nonce'; script-src 'nonce-$nonce'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        header('Content-Type: text/html; charset=utf-8');
        echo strtr(Page::HTML, ['{{nonce}}' => $nonce, '{{token}}' => $this->writes ? $token : '', '{{mode}}' => $this->writes ? 'write' : 'read']);
    }
}
