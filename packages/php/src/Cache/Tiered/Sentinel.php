<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Predis\Connection\Parameters;
use Predis\PredisException;

/**
 * Asks Redis Sentinels which server is the master. The user, password, database and TLS options of the first address are those of
 * the master. Connections to the Sentinels use only the TLS options.
 */
final class Sentinel
{
    private ?Line $line = null;

    /**
     * @param list<string> $addresses as Predis takes them: "tcp://10.0.0.1:26379"
     * @param string $service the name of the group of servers in the configuration of the Sentinels, such as "mymaster"
     */
    public function __construct(private readonly array $addresses, private readonly string $service) {}

    /**
     * @param float $timeout the maximum time in seconds to wait for each Sentinel
     * @return array<string, mixed> the address of the master, as Predis takes it
     */
    public function master(float $timeout): array
    {
        try {
            $answer = $this->line === null ? null : $this->ask($this->line);
        } catch (ServerFailure) {
            $answer = $this->line = null; // this Sentinel has stopped answering
        }
        $reason = '';
        foreach ($answer === null ? $this->addresses : [] as $address) {
            try {
                $this->line = new Line(['username' => null, 'password' => null, 'database' => null] + self::parse($address), $timeout);
                $answer = $this->ask($this->line);
                break;
            } catch (PredisException|ServerFailure $error) {
                $this->line = null;
                $reason = $error->getMessage();
            }
        }
        if ($answer === null) {
            throw new ServerFailure("No Sentinel names a master of \"$this->service\": $reason");
        }
        return $answer + self::parse($this->addresses[0]);
    }

    /** @return array<string, mixed> */
    private static function parse(string $address): array
    {
        $parameters = [];
        foreach (Parameters::parse($address) as $name => $value) {
            $parameters[(string) $name] = $value;
        }
        return $parameters;
    }

    /** @return array{host: string, port: int} */
    private function ask(Line $line): array
    {
        $line->send('SENTINEL', 'get-master-addr-by-name', $this->service);
        $answer = $line->read();
        if (!\is_array($answer) || !\is_string($answer[0] ?? null) || !is_numeric($answer[1] ?? null)) {
            throw new ServerFailure($answer === null ? 'it does not know the name' : Line::text($answer));
        }
        return ['host' => $answer[0], 'port' => (int) $answer[1]];
    }
}
