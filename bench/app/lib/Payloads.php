<?php

declare(strict_types=1);

namespace Bench;

/** The values that are stored and fetched. They are the same in each run. */
final class Payloads
{
    public const NAMES = ['int', 'string-1k', 'string-100k', 'array-8', 'array-1000', 'nested', 'entities', 'config'];

    /** A description of each payload, for readers of the results. */
    public const TITLES = [
        'int' => 'an int',
        'string-1k' => 'a string of 1 KB',
        'string-100k' => 'a string of 100 KB',
        'array-8' => 'an array of 8 settings',
        'array-1000' => 'an array of 1,000 strings',
        'nested' => 'a nested configuration of 40 services',
        'entities' => '1,000 entities',
        'config' => 'a configuration of 200 readonly objects',
    ];

    public static function check(string $name): void
    {
        in_array($name, self::NAMES, true)
            || throw new Unknown("There is no payload \"$name\". Payloads: " . implode(', ', self::NAMES));
    }

    public static function make(string $name): mixed
    {
        self::check($name);
        return match ($name) {
            'int' => 1234567,
            'string-1k' => self::text(1000),
            'string-100k' => self::text(100_000),
            'array-8' => [
                'host' => 'db.example.com', 'port' => 5432, 'name' => 'shop', 'timeout' => 2.5, 'tls' => true,
                'debug' => false, 'socket' => null, 'options' => 'application_name=shop',
            ],
            'array-1000' => self::strings(1000),
            'nested' => array_map(self::service(...), array_combine(self::names(40), range(1, 40))),
            'entities' => array_map(self::entity(...), range(1, 1000)),
            'config' => self::config(),
        };
    }

    /** Text that does not repeat. */
    private static function text(int $length): string
    {
        $text = '';
        for ($i = 0; strlen($text) < $length; $i++) {
            $text .= hash('xxh128', (string) $i) . ' ';
        }
        return substr($text, 0, $length);
    }

    /** @return array<string, string> */
    private static function strings(int $count): array
    {
        $strings = [];
        for ($i = 0; $i < $count; $i++) {
            $strings["message.$i"] = "The text of message number $i, " . hash('xxh32', (string) $i);
        }
        return $strings;
    }

    /** @return list<string> */
    private static function names(int $count): array
    {
        return array_map(fn(int $i): string => "service.$i", range(1, $count));
    }

    /** @return array<string, mixed> */
    private static function service(int $i): array
    {
        return [
            'class' => "App\\Service\\Service$i",
            'public' => $i % 3 === 0,
            'arguments' => ["@service.$i", "%parameter.$i%", $i, $i / 4],
            'tags' => [
                'kernel.listener' => ['event' => "event.$i", 'priority' => $i % 10],
                'log' => ['channel' => "channel $i"],
            ],
            'retry' => ['count' => $i % 4, 'delays' => [10, 100, 1000], 'on' => ['timeout' => true, 'refused' => false]],
        ];
    }

    private static function entity(int $i): Entity
    {
        return new Entity($i, "Product $i", $i / 4, $i % 5 !== 0, "A few words about product number $i");
    }

    private static function config(): Config
    {
        $settings = [];
        for ($i = 0; $i < 199; $i++) {
            $parent = $i === 0 ? null : $settings['setting.' . intdiv($i, 2)];
            $value = $i % 3 ? $i : "value $i";
            $settings["setting.$i"] = new Setting("setting.$i", $value, ['min' => 0, 'max' => 100 + $i], $parent);
        }
        return new Config('production', $settings);
    }
}
