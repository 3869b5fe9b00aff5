<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\CacheStoreType;

/** A stored value. Each decode() returns a new copy, except of immutable objects. */
final class Encoded
{
    private const NO_DEPTH_LIMIT = ['max_depth' => 0];

    /** The value of the first decode() if it consists of immutable objects. */
    private mixed $resident = null;

    /**
     * @param bool|int|float|string|null $value a scalar or null, otherwise the serialized text
     * @param array<string, string> $classes Kind::shape() of each class of its objects
     */
    private function __construct(
        private readonly CacheStoreType $type,
        private readonly bool|int|float|string|null $value,
        private readonly string $name,
        public readonly int $size,
        private readonly bool $hasHeaps = false,
        private readonly array $classes = [],
    ) {}

    public static function scalar(bool|int|float|string|null $value): self
    {
        return new self(CacheStoreType::Scalar, $value, get_debug_type($value), \is_string($value) ? \strlen($value) : 8);
    }

    /**
     * Encodes an array without objects and references.
     * @param array<mixed> $array
     */
    public static function plainArray(array $array): self
    {
        $text = self::serialize($array);
        return new self(CacheStoreType::SharedGraph, $text, 'array', $array === [] ? 0 : \strlen($text));
    }

    /**
     * Makes an Encoded for a value with objects. unserialize($text) returns the value, and a list of the heaps in it with their elements,
     * because PHP's serializer loses the elements of a heap. $isImmutable: all calls of decode() return the same value.
     * @param array<string, string> $classes
     */
    public static function graph(string $text, bool $hasHeaps, bool $isImmutable, array $classes): self
    {
        return new self($isImmutable ? CacheStoreType::Resident : CacheStoreType::SharedGraph, $text, 'objects', \strlen($text), $hasHeaps, $classes);
    }

    /**
     * Encodes a value with PHP's serializer. Runs the hooks of its objects.
     * @param array<string, string> $classes
     */
    public static function serialized(mixed $value, array $classes): self
    {
        $text = self::serialize($value);
        return new self(CacheStoreType::PHPSerialized, $text, 'serialized', \strlen($text), false, $classes);
    }

    /** @return list<mixed> the record that fromRecord() takes; it contains no objects */
    public function record(): array
    {
        return [$this->type->name, $this->value, $this->name, $this->size, $this->hasHeaps, $this->classes];
    }

    /** @param array<mixed> $record */
    public static function fromRecord(array $record): self
    {
        /** @var array{string, bool|int|float|string|null, string, int, bool, array<string, string>} $record */
        return new self(\constant(CacheStoreType::class . "::$record[0]"), ...\array_slice($record, 1)); // @phpstan-ignore argument.type
    }

    public function type(): CacheStoreType
    {
        return $this->type;
    }

    /** Returns the kind of the value, as Inspector names it. */
    public function typeName(): string
    {
        return $this->name;
    }

    public function integer(): ?int
    {
        return \is_int($this->value) ? $this->value : null;
    }

    /** Returns false if a class of the value is gone, or has other properties now. Loads the classes. */
    public function isReadable(): bool
    {
        foreach ($this->classes as $class => $shape) {
            if (Kind::shape($class) !== $shape) {
                return false;
            }
        }
        return true;
    }

    /** Restores the value. Runs hooks of objects, and lets their exceptions pass. */
    public function decode(): mixed
    {
        if ($this->type === CacheStoreType::Scalar || $this->resident !== null) {
            return $this->resident ?? $this->value;
        }
        \assert(\is_string($this->value));
        $value = unserialize($this->value, self::NO_DEPTH_LIMIT);
        if ($this->type === CacheStoreType::PHPSerialized || $this->name === 'array') {
            return $value;
        }
        \assert(\is_array($value) && \is_array($value[1]));
        if ($this->hasHeaps) {
            /** @var array{\SplHeap<mixed>|\SplPriorityQueue<mixed, mixed>, list<mixed>} $held */
            foreach ($value[1] as $held) {
                [$heap, $elements] = $held;
                Heap::fill($heap, $elements);
            }
        }
        if ($this->type === CacheStoreType::Resident) {
            $this->resident = $value[0];
        }
        return $value[0];
    }

    /** Serializes a value with all digits of its floats, even if serialize_precision is lower. */
    public static function serialize(mixed $value): string
    {
        $precision = (string) \ini_get('serialize_precision');
        if ($precision === '-1' || $precision === '17') {
            return serialize($value);
        }
        ini_set('serialize_precision', '17');
        try {
            return serialize($value);
        } finally {
            ini_set('serialize_precision', $precision);
        }
    }
}
