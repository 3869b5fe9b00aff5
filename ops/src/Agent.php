<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * Runs an operation in a worker of FPM. The command asks the pool to execute this file, with the operation in a FastCGI parameter. Web
 * clients cannot set this parameter, because their headers become parameters that begin with HTTP_. So only users who may connect to the
 * socket can run an operation.
 */
final class Agent
{
    public const PARAMETER = 'LARDER_OPERATION';
    private const MARK = "larder-answer\n";
    /** Maximum bytes of a FastCGI parameter. A longer operation continues in LARDER_OPERATION_1, _2 and so on. */
    private const PART = 32768;
    /** The time limit in seconds of a script that fills the stores. The pool may set a lower limit. */
    private const WARM_SECONDS = 86400;

    /** @param array<string, mixed> $arguments */
    public static function ask(FastCgi $server, string $file, string $operation, array $arguments): array
    {
        $parts = [];
        foreach (str_split(base64_encode(serialize([$operation, $arguments])), self::PART) as $i => $part) {
            $parts[self::parameter($i)] = $part;
        }
        $body = $server->request([
            'GATEWAY_INTERFACE' => 'CGI/1.1', 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'SCRIPT_FILENAME' => $file,
            'SCRIPT_NAME' => '/' . basename($file), 'REQUEST_URI' => '/' . basename($file), 'QUERY_STRING' => '', 'REMOTE_ADDR' => '127.0.0.1',
        ] + $parts, $operation === 'warm' ? self::WARM_SECONDS : FastCgi::SECONDS);
        $start = strrpos($body, self::MARK);
        $answer = $start === false ? false : @unserialize((string) base64_decode(substr($body, $start + strlen(self::MARK))), ['allowed_classes' => false]);
        if (!is_array($answer['answer'] ?? null) && !is_string($answer['failure'] ?? null)) {
            throw Failure::failed("the pool did not run $file: " . (trim(strip_tags($body)) !== '' ? strtok(trim(strip_tags($body)), "\n") : 'an empty answer') . '; give a copy that it may read with --fpm-file');
        }
        if (isset($answer['failure'])) {
            throw new Failure($answer['failure'], $answer['code'] === 2 ? 2 : 1);
        }
        return $answer['answer'];
    }

    private static function parameter(int $i): string
    {
        return self::PARAMETER . ($i > 0 ? "_$i" : '');
    }

    /** Answers a request of ask(), and returns true. For any other request, sends nothing and returns false. */
    public static function answer(): bool
    {
        $text = $_SERVER[self::PARAMETER] ?? null;
        if (!is_string($text) || PHP_SAPI === 'cli') {
            return false;
        }
        for ($i = 1; is_string($part = $_SERVER[self::parameter($i)] ?? null); $i++) {
            $text .= $part;
        }
        $request = @unserialize((string) base64_decode($text), ['allowed_classes' => false]);
        $answer = null;
        register_shutdown_function(static function () use (&$answer): void {
            $answer === null && self::put(['failure' => 'the request was ended: ' . self::end(), 'code' => 1]);
        });
        try {
            [$operation, $arguments] = is_array($request) ? $request : throw Failure::usage('the request cannot be read; the command and the file that the pool runs have to be of one version');
            ob_start();
            $answer = ['answer' => (new Operations())->run($operation, $arguments)];
        } catch (Failure $e) {
            $answer = ['failure' => $e->getMessage(), 'code' => $e->getCode()];
        } catch (\Throwable $e) {
            $answer = ['failure' => get_debug_type($e) . ': ' . $e->getMessage(), 'code' => 1];
        }
        self::put($answer);
        return true;
    }

    /** Returns the reason why a request has ended without an answer. */
    private static function end(): string
    {
        $error = error_get_last();
        $fatal = $error !== null && ($error['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR)) !== 0;
        return $fatal ? (string) strtok($error['message'], "\n") : 'does the file call exit()?';
    }

    /** @param array<string, mixed> $answer */
    private static function put(array $answer): void
    {
        while (ob_get_level() > 0) {
            ob_end_clean();
        }
        echo self::MARK, base64_encode(serialize($answer));
    }
}
