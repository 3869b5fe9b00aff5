<?php

declare(strict_types=1);

namespace Larder\Work;

/** The arguments of larder-work. Reading an option removes it, so none() finds the unknown options. */
final class Arguments
{
    /** @var list<string> */
    public readonly array $places;
    /** @var array<string, ?string> */
    private array $given = [];

    /** @param list<string> $arguments */
    public function __construct(array $arguments)
    {
        $places = [];
        foreach ($arguments as $argument) {
            if (str_starts_with($argument, '--')) {
                [$name, $value] = explode('=', substr($argument, 2), 2) + [1 => null];
                $this->given[$name] = $value;
            } else {
                $places[] = $argument;
            }
        }
        $this->places = $places;
    }

    public function text(string $name): ?string
    {
        if (!\array_key_exists($name, $this->given)) {
            return null;
        }
        $value = $this->given[$name] ?? throw new \InvalidArgumentException("--$name needs a value: --$name=...");
        unset($this->given[$name]);
        return $value;
    }

    public function flag(string $name): bool
    {
        if (isset($this->given[$name])) {
            throw new \InvalidArgumentException("--$name takes no value");
        }
        $flag = \array_key_exists($name, $this->given);
        unset($this->given[$name]);
        return $flag;
    }

    public function number(string $name, int $least, int $default): int
    {
        $value = $this->text($name);
        return $value === null ? $default : self::parse($name, $value, $least, 1, "a number from $least on");
    }

    /** Reads a number of bytes, which may end with K, M or G. */
    public function bytes(string $name, int $default): int
    {
        $value = $this->text($name);
        if ($value === null) {
            return $default;
        }
        $factor = ['K' => 1 << 10, 'M' => 1 << 20, 'G' => 1 << 30][strtoupper(substr($value, -1))] ?? 1;
        return self::parse($name, $factor === 1 ? $value : substr($value, 0, -1), 0, $factor, 'a number of bytes, with K, M or G behind it as in 256M');
    }

    public function seconds(string $name, float $default): float
    {
        $value = $this->text($name) ?? (string) $default;
        if (!is_numeric($value) || !is_finite((float) $value) || (float) $value < 0) {
            throw new \InvalidArgumentException("--$name must be a number of seconds");
        }
        return (float) $value;
    }

    public function none(): void
    {
        if ($this->given !== []) {
            throw new \InvalidArgumentException('--' . array_key_first($this->given) . ' is no option');
        }
    }

    private static function parse(string $name, string $value, int $least, int $factor, string $wanted): int
    {
        if (preg_match('/^\d{1,12}$/D', $value) !== 1 || (int) $value < $least || (float) $value * $factor >= \PHP_INT_MAX) {
            throw new \InvalidArgumentException("--$name must be $wanted");
        }
        return (int) $value * $factor;
    }
}
