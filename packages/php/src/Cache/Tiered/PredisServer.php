<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Predis\Client;
use Predis\Command\Factory;
use Predis\Command\Processor\KeyPrefixProcessor;
use Predis\Connection\Replication\SentinelReplication;
use Predis\Pipeline\Pipeline;
use Predis\PredisException;
use Predis\Response\ErrorInterface;

/** Calls the server through the library Predis. The client may use Sentinels. It must not have a prefix. */
final class PredisServer implements Server
{
    /** @throws ConnectionUnusable */
    public function __construct(private readonly Client $client)
    {
        $commands = $client->getCommandFactory();
        // the options "prefix" and "commands" may set a processor, which changes keys
        $processor = $commands instanceof Factory ? $commands->getProcessor() : null;
        if ($processor !== null && !($processor instanceof KeyPrefixProcessor && $processor->getPrefix() === '')) {
            throw new ConnectionUnusable('The client has the option "prefix", which changes keys: give PredisServer a client of its own without it; the prefix is an argument of TieredStore');
        }
    }

    public function read(array $keys): array
    {
        $answers = $this->pipeline(static function (Pipeline $pipeline) use ($keys): void {
            foreach ($keys as $key) {
                $pipeline->get($key);
                $pipeline->pttl($key);
            }
        });
        $found = [];
        foreach ($keys as $i => $key) {
            $value = $answers[2 * $i] ?? null;
            $left = $answers[2 * $i + 1] ?? 0;
            if (\is_string($value)) {
                $found[$key] = [$value, \is_int($left) && $left >= 0 ? max(1, $left) : 0];
            }
        }
        return $found;
    }

    public function write(array $values, int $milliseconds): void
    {
        $this->pipeline(static function (Pipeline $pipeline) use ($values, $milliseconds): void {
            foreach ($values as $key => $value) {
                $pipeline->set((string) $key, $value, ...($milliseconds > 0 ? ['PX', $milliseconds] : []));
            }
        });
    }

    public function add(string $key, string $value, int $milliseconds): bool
    {
        $more = $milliseconds > 0 ? ['PX', $milliseconds, 'NX'] : ['NX'];
        return $this->run('SET', $key, $value, ...$more) !== null;
    }

    public function delete(array $keys): int
    {
        $count = $this->run('UNLINK', ...$keys);
        return \is_int($count) ? $count : 0;
    }

    public function deleteIf(string $key, string $value): bool
    {
        return $this->run('EVAL', Scripts::DELETE_IF, 1, $key, $value) === 1;
    }

    public function expire(string $key, int $milliseconds): bool
    {
        if ($milliseconds > 0) {
            return $this->run('PEXPIRE', $key, $milliseconds) === 1;
        }
        return $this->run('PERSIST', $key) === 1 || $this->run('EXISTS', $key) === 1;
    }

    public function increment(string $key, int $step, int $milliseconds): ?int
    {
        $sum = $this->run('EVAL', Scripts::INCREMENT, 1, $key, (string) $step, (string) $milliseconds);
        return \is_string($sum) ? (int) $sum : null;
    }

    public function clear(string $prefix): void
    {
        // SCAN must run on the master. A client with replicas reads from a replica until it has sent a write. So first delete a key that
        // never exists.
        $this->delete(["$prefix\0"]);
        $cursor = '0';
        do {
            $answer = $this->run('SCAN', $cursor, 'MATCH', Scripts::pattern($prefix), 'COUNT', 1000);
            if (!\is_array($answer) || !\is_array($answer[1] ?? null)) {
                throw new ServerFailure('SCAN gave no keys');
            }
            $cursor = Line::text($answer[0] ?? 0);
            $keys = array_values(array_filter($answer[1], \is_string(...)));
            $keys === [] || $this->delete($keys);
        } while ($cursor !== '0');
    }

    private function run(string $command, string|int ...$arguments): mixed
    {
        try {
            return $this->answers([$this->client->executeCommand($this->client->createCommand($command, $arguments))])[0];
        } catch (PredisException $error) {
            throw $this->failed($error);
        }
    }

    /**
     * @param \Closure(Pipeline): void $fill
     * @return array<mixed>
     */
    private function pipeline(\Closure $fill): array
    {
        try {
            return $this->answers((array) $this->client->pipeline($fill));
        } catch (PredisException $error) {
            throw $this->failed($error);
        }
    }

    /**
     * Throws if an answer is an error. A client with the option "exceptions" off returns errors instead of throwing them.
     *
     * @param array<mixed> $answers
     * @return array<mixed>
     */
    private function answers(array $answers): array
    {
        foreach ($answers as $answer) {
            if ($answer instanceof ErrorInterface) {
                throw new ServerFailure($answer->getMessage());
            }
        }
        return $answers;
    }

    private function failed(PredisException $error): ServerFailure
    {
        $this->client->disconnect();
        $connection = $this->client->getConnection();
        // Ask Sentinel for the present master. Otherwise the client would connect to the failed server again.
        if ($connection instanceof SentinelReplication) {
            try {
                $connection->querySentinel();
            } catch (PredisException) {
                // no Sentinel answers; the next call will fail, too
            }
        }
        return $error instanceof ErrorInterface ? new ServerFailure($error->getMessage(), 0, $error) : new ServerUnreachable($error->getMessage(), 0, $error);
    }
}
