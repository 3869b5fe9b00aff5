<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * Prints a value like print_r(), or as JSON. A small value may have a huge text: if each of 100 arrays contains the next one twice, the
 * text has 2^100 parts. So size and depth of the text are limited. Start with text() and json().
 */
final class Printer
{
    /** The maximum size of the text of a value that is not a string. room() allows at most a fifth of memory_limit. */
    private const BYTES = 64 << 20;
    /** The maximum depth of nested arrays and objects. It is below 512, the default limit of json_decode(). */
    private const LEVELS = 500;
    private const DEEP = 'it has more than ' . self::LEVELS . ' levels of arrays and objects';
    private const JSON = JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;

    private string $text = '';
    private bool $isDeep = false;

    /**
     * @var list<mixed> values whose text was cut. They are kept until the request ends, because freeing them might overflow PHP's stack (if
     * each of 100,000 objects contains the next one)
     */
    private static array $kept = [];

    /** @var array<int|string, true> the objects and references that contain the part that is printed now */
    private array $around = [];

    private function __construct(private int $most) {}

    /**
     * Returns the text of a value, and the reason why the text was cut, or "". A string is its own text. A number, true, false or null is
     * written as in PHP code, and any other value as by print_r().
     *
     * @param ?int $most the maximum size of the text in bytes; null: the result of room()
     * @return array{string, string}
     */
    public static function text(mixed $value, ?int $most = null): array
    {
        $printer = new self($most ?? self::room($value));
        try {
            is_scalar($value) || $value === null ? $printer->add(is_string($value) ? $value : var_export($value, true)) : $printer->print([$value], 0, 0);
            $cut = $printer->isDeep ? self::DEEP : '';
        } catch (\OverflowException $e) {
            $printer->text .= "\n...\n";
            $cut = $e->getMessage();
        }
        if ($cut !== '') {
            self::$kept[] = $value;
        }
        return [$printer->text, $cut];
    }

    /**
     * Returns a value as JSON. INF, NAN, and a part that contains itself become null. Throws if the text is too long, or the value has too
     * many levels.
     */
    public static function json(mixed $value): string
    {
        $printer = new self(self::room($value));
        try {
            $printer->encode([$value], 0, 0);
            return $printer->text;
        } catch (\OverflowException $e) {
            self::$kept[] = $value;
            throw Failure::failed("the value is not printed as JSON: {$e->getMessage()}; read it in PHP");
        }
    }

    /**
     * Returns the maximum size of the text of a value, which is unlimited for a string. Any other text may take a fifth of memory_limit,
     * because a FastCGI answer holds more copies of it: serialized, and in base64.
     */
    private static function room(mixed $value): int
    {
        $limit = ini_parse_quantity((string) ini_get('memory_limit'));
        return match (true) {
            is_string($value) => PHP_INT_MAX,
            $limit > 0 => min(self::BYTES, intdiv($limit, 5)),
            default => self::BYTES,
        };
    }

    /** Appends $part to the text. If the text would become too long, appends only the beginning of $part, and throws. */
    private function add(string $part): void
    {
        $room = $this->most - strlen($this->text);
        $this->text .= strlen($part) > $room ? substr($part, 0, $room) : $part;
        if (strlen($part) > $room) {
            throw new \OverflowException('it takes more than ' . Text::number($this->most) . ' bytes');
        }
    }

    /**
     * Call this before $parts[$name] is printed. Returns false if the part contains itself and is being printed. Remembers objects and
     * references until leave(); other parts cannot contain themselves.
     *
     * @param array<mixed> $parts
     */
    private function enter(array $parts, int|string $name, int|string|null &$id): bool
    {
        $id = is_object($parts[$name]) ? spl_object_id($parts[$name]) : \ReflectionReference::fromArrayElement($parts, $name)?->getId();
        if ($id !== null && isset($this->around[$id])) {
            return false;
        }
        $id === null || $this->around[$id] = true;
        return true;
    }

    private function leave(int|string|null $id): void
    {
        unset($this->around[$id ?? '']);
    }

    /**
     * Appends the part $parts[$name], in the form of print_r().
     *
     * @param array<mixed> $parts
     * @param int $level the number of arrays and objects that contain the part
     */
    private function print(array $parts, int|string $name, int $level): void
    {
        $value = $parts[$name];
        if (!is_array($value) && !is_object($value)) {
            $this->add(@(string) $value); // from PHP 8.5 on, the cast warns about NAN
            return;
        }
        $indent = str_repeat(' ', 8 * $level);
        $inner = is_array($value) ? $value : self::shown($value);
        if ($inner === [] && is_object($value) && (new \ReflectionObject($value))->isInternal()) {
            // an object of an internal class may have data outside of its properties, which print_r() may show
            $this->add((string) preg_replace('/\n(?=[ (\[)])/', "\n$indent", print_r($value, true)));
            return;
        }
        $this->add((is_array($value) ? 'Array' : self::title($value)) . "\n");
        if ($level >= self::LEVELS) {
            $this->isDeep = true;
            $this->add(' *TOO DEEP*');
            return;
        }
        if (!$this->enter($parts, $name, $id)) {
            $this->add(' *RECURSION*');
            return;
        }
        $this->add("$indent(\n");
        foreach ($inner as $key => $part) {
            $this->add("$indent    [" . (is_object($value) ? self::property((string) $key) : $key) . '] => ');
            $this->print($inner, $key, $level + 1);
            $this->add("\n");
        }
        $this->add("$indent)\n");
        $this->leave($id);
    }

    private static function title(object $value): string
    {
        return $value::class . match (true) {
            $value instanceof \BackedEnum => ' Enum:' . get_debug_type($value->value),
            $value instanceof \UnitEnum => ' Enum',
            default => ' Object',
        };
    }

    /** @return array<mixed> the properties that print_r() prints, under the names that a cast to array gives them */
    private static function shown(object $value): array
    {
        return method_exists($value::class, '__debugInfo') ? $value->__debugInfo() ?? [] : (array) $value;
    }

    /** Returns a property's name and its visibility. PHP keeps \0*\0NAME for a protected property, \0CLASS\0NAME for a private one. */
    private static function property(string $key): string
    {
        if (!preg_match('/^\0([^\0]+)\0(.*)$/Ds', $key, $match)) {
            return $key;
        }
        return $match[2] . ($match[1] === '*' ? ':protected' : ":{$match[1]}:private");
    }

    /**
     * Appends the part $parts[$name], in the form of json_encode() with JSON_PRETTY_PRINT.
     *
     * @param array<mixed> $parts
     */
    private function encode(array $parts, int|string $name, int $level): void
    {
        $value = $parts[$name];
        if ($value instanceof \UnitEnum) {
            $value = $value instanceof \BackedEnum ? $value->value : $value->name;
        }
        if (!is_array($value) && !is_object($value)) {
            $this->add(is_float($value) && !is_finite($value) ? 'null' : (string) json_encode($value, self::JSON));
            return;
        }
        if (max($level, count($this->around)) >= self::LEVELS) { // a jsonSerialize() that always returns a new object would never end
            throw new \OverflowException(self::DEEP);
        }
        if (!$this->enter($parts, $name, $id)) {
            $this->add('null');
            return;
        }
        $other = $value instanceof \JsonSerializable ? $value->jsonSerialize() : $value;
        if ($other !== $value) {
            $this->encode([$other], 0, $level);
        } else {
            $this->encodeParts(is_array($value) ? $value : array_filter((array) $value, fn(int|string $key): bool => !str_starts_with((string) $key, "\0"), ARRAY_FILTER_USE_KEY), is_array($value) && array_is_list($value), $level);
        }
        $this->leave($id);
    }

    /** @param array<mixed> $parts */
    private function encodeParts(array $parts, bool $isList, int $level): void
    {
        $indent = "\n" . str_repeat('    ', $level);
        $before = '';
        $this->add($isList ? '[' : '{');
        foreach ($parts as $key => $part) {
            $this->add("$before$indent    " . ($isList ? '' : json_encode((string) $key, self::JSON) . ': '));
            $this->encode($parts, $key, $level + 1);
            $before = ',';
        }
        $this->add(($before !== '' ? $indent : '') . ($isList ? ']' : '}'));
    }
}
