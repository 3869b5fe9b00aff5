<?php
/* Controls headless Chromium through chromedriver (WebDriver protocol of the W3C), for tests that click. */
final class Browser
{
    private $driver;
    private string $base;
    private string $session = '';

    private const GONE = 'gone';

    public static function skip(): void
    {
        foreach (['chromedriver', 'chromium'] as $program) {
            if (trim((string) shell_exec("command -v $program")) === '') {
                die("skip needs $program (Debian: chromium, chromium-driver)");
            }
        }
    }

    public function __construct(int $width, int $height, bool $dark = false)
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);
        $this->driver = proc_open(['chromedriver', "--port=$port", '--log-level=OFF'], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
        register_shutdown_function($this->close(...));
        $this->base = "127.0.0.1:$port";
        for ($end = microtime(true) + 60; $this->call('GET', '/status') === null && microtime(true) < $end;) {
            usleep(20000);
        }
        $arguments = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', "--window-size=$width,$height"];
        $dark && $arguments[] = '--blink-settings=preferredColorScheme=0';
        $this->session = '/session/' . $this->call('POST', '/session', ['capabilities' => ['alwaysMatch' => ['goog:chromeOptions' => ['args' => $arguments], 'unhandledPromptBehavior' => 'accept']]])['sessionId'];
        /* A window has a minimal width, so set the width of the page instead. */
        $this->command('goog/cdp/execute', ['cmd' => 'Emulation.setDeviceMetricsOverride', 'params' => ['width' => $width, 'height' => $height, 'deviceScaleFactor' => 1, 'mobile' => $width < 600]]);
        $this->command('goog/cdp/execute', ['cmd' => 'Emulation.setEmulatedMedia', 'params' => ['features' => [['name' => 'prefers-color-scheme', 'value' => $dark ? 'dark' : 'light']]]]);
    }

    public function close(): void
    {
        if ($this->driver !== null) {
            $this->session !== '' && $this->call('DELETE', $this->session);
            proc_terminate($this->driver);
            proc_close($this->driver);
            $this->driver = null;
        }
    }

    /* The driver keeps connections open, so read only the announced number of bytes. */
    private function call(string $method, string $path, ?array $body = null, bool $mayBeGone = false): mixed
    {
        $content = $body === null ? '' : json_encode($body ?: new stdClass());
        $connection = @stream_socket_client('tcp://' . $this->base, $number, $text, 10);
        if (!$connection) {
            return null;
        }
        stream_set_timeout($connection, 60);
        fwrite($connection, "$method $path HTTP/1.1\r\nHost: {$this->base}\r\nContent-Type: application/json\r\nContent-Length: " . strlen($content) . "\r\nConnection: close\r\n\r\n$content");
        for ($length = 0; ($line = fgets($connection)) !== false && trim($line) !== '';) {
            $length = stripos($line, 'content-length:') === 0 ? (int) trim(substr($line, 15)) : $length;
        }
        $answer = json_decode((string) stream_get_contents($connection, $length), true);
        if ($mayBeGone && in_array($answer['value']['error'] ?? '', ['stale element reference', 'no such element'], true)) {
            return self::GONE;
        }
        isset($answer['value']['error']) && die("browser: {$answer['value']['error']}: {$answer['value']['message']}\n");
        return $answer['value'] ?? null;
    }

    public function command(string $name, array $body): mixed
    {
        return $this->call('POST', "{$this->session}/$name", $body);
    }

    public function open(string $url): void
    {
        $this->command('url', ['url' => $url]);
    }

    /* Returns the value of a JavaScript expression. */
    public function value(string $expression): mixed
    {
        return $this->command('execute/sync', ['script' => "return $expression;", 'args' => []]);
    }

    /* Waits until an expression is true. */
    public function until(string $expression): void
    {
        for ($end = microtime(true) + 90; !$this->value("!!($expression)");) {
            microtime(true) < $end || die("browser: never true: $expression\n" . $this->value('document.body.innerText') . "\n");
            usleep(20000);
        }
    }

    public function click(string $selector): void
    {
        do { // the page may replace the element between the search and the click
            $this->until("document.querySelector('$selector')");
            $element = $this->call('POST', "{$this->session}/element", ['using' => 'css selector', 'value' => $selector], true);
        } while ($element === self::GONE || $this->call('POST', "{$this->session}/element/" . array_values($element)[0] . '/click', [], true) === self::GONE);
    }

    public function type(string $selector, string $text): void
    {
        $element = array_values($this->command('element', ['using' => 'css selector', 'value' => $selector]))[0];
        $this->call('POST', "{$this->session}/element/$element/value", ['text' => $text]);
    }

    public function screenshot(string $file): void
    {
        file_put_contents($file, base64_decode($this->call('GET', "{$this->session}/screenshot")));
    }
}
