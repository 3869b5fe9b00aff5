<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Makes requests to a FastCGI server such as php-fpm (FastCGI 1.0, responder role, one request per connection). */
final class FastCgi
{
    private const BEGIN = 1, END = 3, PARAMS = 4, STDIN = 5, STDOUT = 6, STDERR = 7;
    private const RESPONDER = 1;

    public const SECONDS = 30;

    /** @param string $address HOST:PORT, or the path of a socket */
    public function __construct(private string $address)
    {
        $address !== '' || throw Failure::usage('--fpm is empty: a path of php-fpm\'s socket ("listen" of the pool) or HOST:PORT is expected');
    }

    /**
     * Makes a request, and returns the body of the answer.
     * @param array<string, string> $params each at most some 65,000 bytes
     * @param int $timeout seconds without data after which the request fails
     */
    public function request(array $params, int $timeout = self::SECONDS): string
    {
        $connection = $this->connect();
        stream_set_timeout($connection, $timeout);
        try {
            $this->send($connection, $params);
            [$out, $error] = $this->receive($connection);
        } finally {
            fclose($connection);
        }
        [$head, $body] = explode("\r\n\r\n", $out, 2) + ['', ''];
        if (preg_match('/^Status: (?!2)(\d+.*)$/mi', $head, $match)) {
            $why = trim($error) !== '' ? trim($error) : trim(strip_tags($body));
            throw Failure::failed("{$this->address} answers \"" . trim($match[1]) . '"' . ($why !== '' ? ': ' . strtok($why, "\n") : ''));
        }
        if ($out === '') {
            throw Failure::failed("{$this->address} gave no answer" . (trim($error) !== '' ? ': ' . strtok(trim($error), "\n") : ''));
        }
        return $body;
    }

    /** @return resource */
    private function connect()
    {
        $address = preg_match('~^[^/]*:\d+$~D', $this->address)
            ? "tcp://{$this->address}"
            // In a PHP with threads, each thread has its own working directory. realpath() uses this directory, but connecting to a
            // relative path would use the working directory of the process.
            : 'unix://' . (realpath($this->address) ?: $this->address);
        $connection = @stream_socket_client($address, $number, $text, self::SECONDS);
        if ($connection === false) {
            if ($number === 13) { // EACCES
                throw Failure::failed("{$this->address}: $text; this user may not connect to the pool's socket: use sudo");
            }
            throw Failure::failed("{$this->address}: $text; a path of php-fpm's socket (\"listen\" of the pool) or HOST:PORT is expected");
        }
        return $connection;
    }

    /**
     * @param resource $connection
     * @param array<string, string> $params
     */
    private function send($connection, array $params): void
    {
        $data = self::record(self::BEGIN, pack('nCx5', self::RESPONDER, 0));
        // Put each parameter into its own record, because php-fpm refuses a parameter that continues in the next record.
        foreach ($params as $name => $value) {
            $data .= self::record(self::PARAMS, self::length(strlen($name)) . self::length(strlen($value)) . $name . $value);
        }
        $data .= self::record(self::PARAMS, '') . self::record(self::STDIN, '');
        if (@fwrite($connection, $data) !== strlen($data)) {
            throw Failure::failed("{$this->address} closed the connection; is it php-fpm?");
        }
    }

    /**
     * @param resource $connection
     * @return array{string, string} the output of the server (STDOUT) and its errors (STDERR)
     */
    private function receive($connection): array
    {
        $streams = [self::STDOUT => '', self::STDERR => ''];
        do {
            $head = $this->read($connection, 8);
            ['type' => $type, 'length' => $length, 'padding' => $padding] = (array) unpack('Cversion/Ctype/nid/nlength/Cpadding/Creserved', $head);
            $content = $this->read($connection, $length);
            $this->read($connection, $padding);
            if (isset($streams[$type])) {
                $streams[$type] .= $content;
            }
        } while ($type !== self::END);
        return [$streams[self::STDOUT], $streams[self::STDERR]];
    }

    /** @param resource $connection */
    private function read($connection, int $length): string
    {
        for ($data = ''; strlen($data) < $length; $data .= $part) {
            $part = fread($connection, $length - strlen($data));
            if ($part === false || $part === '') {
                $late = stream_get_meta_data($connection)['timed_out'];
                throw Failure::failed("{$this->address} " . ($late ? "gave no answer within " . self::SECONDS . " s; are all workers busy?" : 'closed the connection without an answer: the worker died or was ended, as its log says, or it is no php-fpm'));
            }
        }
        return $data;
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }

    private static function length(int $length): string
    {
        return $length < 128 ? chr($length) : pack('N', $length | 0x80000000);
    }
}
