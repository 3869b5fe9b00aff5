<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Checks arguments. Its exceptions name the public method and the argument, like those of PHP's own functions. */
final class Fault
{
    public const KEY_MAX = 65535;
    private const RESERVED = "\0lrd";

    /**
     * @template T of \Error
     * @param class-string<T> $error
     * @return T
     */
    public static function argument(string $error, int $number, string $text): \Error
    {
        [$class, $method] = self::caller();
        $name = (new \ReflectionMethod($class, $method))->getParameters()[$number - 1]->name;
        return new $error("$class::$method(): Argument #$number (\$$name) $text");
    }

    /** Throws for more than $most arguments, which PHP would ignore. */
    public static function most(int $given, int $most): void
    {
        if ($given <= $most) {
            return;
        }
        $frame = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 2)[1] ?? ['function' => ''];
        $class = $frame['class'] ?? '';
        $function = $class !== '' ? new \ReflectionMethod($class, $frame['function']) : new \ReflectionFunction($frame['function']);
        throw new \ArgumentCountError(\sprintf(
            '%s() expects %s %d argument%s, %d given',
            $class !== '' ? "$class::{$frame['function']}" : $frame['function'],
            $function->getNumberOfRequiredParameters() === $most ? 'exactly' : 'at most',
            $most,
            $most === 1 ? '' : 's',
            $given,
        ));
    }

    /** Returns a key for a message, with escaped control characters: they may be commands of a terminal. */
    public static function shown(string $key): string
    {
        $names = ["\n" => '\n', "\r" => '\r', "\t" => '\t', "\f" => '\f', "\v" => '\v', "\e" => '\e', '\\' => '\\\\'];
        return (string) preg_replace_callback('/[^ -\[\]-~]/', static fn(array $byte): string => $names[$byte[0]] ?? \sprintf('\x%02X', \ord($byte[0])), $key);
    }

    public static function warn(string $text): void
    {
        trigger_error(implode('::', self::caller()) . "(): $text", E_USER_WARNING);
    }

    /** @return array{class-string, string} the public method that the program called */
    public static function caller(): array
    {
        $caller = null;
        foreach (debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS) as $frame) {
            $class = $frame['class'] ?? '';
            if ($caller !== null && $class !== $caller[0]) {
                break;
            }
            if (str_starts_with($class, 'Larder\\') && !str_starts_with($class, __NAMESPACE__) && class_exists($class)) {
                // keep searching: inner methods of the class may be private, and the outermost method is the one that the program called
                $caller = [$class, $frame['function']];
            }
        }
        return $caller ?? throw new \LogicException('no public method of Larder was called');
    }

    public static function key(string $key, int $max = self::KEY_MAX, bool $reserved = true): string
    {
        if ($key === '' || \strlen($key) > $max) {
            throw self::argument(\ValueError::class, 1, "must be between 1 and $max bytes long, " . \strlen($key) . ' given');
        }
        if ($reserved && str_starts_with($key, self::RESERVED)) {
            throw self::argument(\ValueError::class, 1, 'must not begin with "\0lrd", which is reserved');
        }
        return $key;
    }

    /** Checks an element of argument 1, which is a list of keys. */
    public static function oneOfKeys(mixed $key, int $max, bool $reserved): string
    {
        if (!\is_string($key) && !\is_int($key)) {
            $type = match (true) {
                \is_object($key) => $key::class,
                \is_bool($key) => 'bool',
                default => get_debug_type($key),
            };
            throw self::argument(\TypeError::class, 1, "must be an array of keys of type string or int, $type given");
        }
        $key = (string) $key;
        if ($key === '') {
            throw self::argument(\ValueError::class, 1, 'must not contain an empty key');
        }
        if (\strlen($key) > $max) {
            throw self::argument(\ValueError::class, 1, "must contain keys between 1 and $max bytes long, " . \strlen($key) . ' given');
        }
        if ($reserved && str_starts_with($key, self::RESERVED)) {
            throw self::argument(\ValueError::class, 1, 'must not contain keys that begin with "\0lrd", which is reserved');
        }
        return $key;
    }

    /** Checks the name of a form, which has no effect in the polyfill. */
    public static function form(?string $form, int $argument): void
    {
        if ($form !== null && !\in_array($form, ['auto', 'ready', 'packed'], true)) {
            throw self::argument(\ValueError::class, $argument, "must be \"auto\", \"ready\" or \"packed\", \"$form\" given");
        }
    }

    /** Checks a number of seconds, and returns it. */
    public static function seconds(int|float $seconds, int $argument): float
    {
        if (!is_finite($seconds)) {
            throw self::argument(\ValueError::class, $argument, 'must be a finite number of seconds');
        }
        if ($seconds < 0) {
            throw self::argument(\ValueError::class, $argument, 'must be greater than or equal to 0');
        }
        return (float) $seconds;
    }

    /** Checks a number of seconds, and returns nanoseconds. */
    public static function nanoseconds(int|float $seconds, int $argument, int $least = 0): int
    {
        if (!is_finite($seconds) || $seconds > 1e9 || $seconds < 0 || ($least > 0 && $seconds == 0)) {
            $range = $least > 0 ? 'that is greater than 0' : 'that is at least 0';
            throw self::argument(\ValueError::class, $argument, "must be a number of seconds $range and at most 1000000000");
        }
        return max($least, (int) ($seconds * 1e9 + 0.5));
    }

    public static function version(int $version, int $argument): void
    {
        if ($version < 1) {
            throw self::argument(\ValueError::class, $argument, 'must be greater than 0, as getVersioned() returned it; an int has no version, see compareAndSet()');
        }
    }

    public static function positiveSeconds(int|float $seconds, int $argument): float
    {
        if (self::seconds($seconds, $argument) === 0.0) {
            throw self::argument(\ValueError::class, $argument, 'must be greater than 0');
        }
        return (float) $seconds;
    }

    public static function atLeast(int $value, int $least, int $argument): int
    {
        return $value >= $least ? $value : throw self::argument(\ValueError::class, $argument, "must be greater than or equal to $least");
    }

    public static function token(string $token, int $bytes, int $argument, string $method): string
    {
        return \strlen($token) === $bytes ? $token : throw self::argument(\ValueError::class, $argument, "must be what $method() returned");
    }
}
