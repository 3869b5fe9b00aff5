<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\CacheStoreType;

/** A stored value. No other code can change it, and each decode() returns a new copy. */
final class Encoded
{
    private const NO_DEPTH_LIMIT = ['max_depth' => 0];

    /** @param mixed $value if $isText, the text of PHP's serializer; else the value itself */
    private function __construct(
        private readonly CacheStoreType $type,
        private readonly mixed $value,
        public readonly int $size,
        private readonly bool $isText,
        private readonly bool $hasHeaps = false,
    ) {}

    public static function scalar(bool|int|float|string|null $value): self
    {
        return new self(CacheStoreType::Scalar, $value, \is_string($value) ? \strlen($value) : 8, false);
    }

    /**
     * Copies an array without objects and references. It does so through a text, so that the internal pointer is at the first
     * element.
     * @param array<mixed> $array
     */
    public static function plainArray(array $array): self
    {
        if ($array === []) {
            return new self(CacheStoreType::SharedGraph, [], 0, false);
        }
        $text = self::serialize($array);
        return new self(CacheStoreType::SharedGraph, unserialize($text, self::NO_DEPTH_LIMIT), \strlen($text), false);
    }

    /**
     * Makes a stored value of a value with objects. $text: the serialized form of an array of two elements: the value, and a list of all
     * heaps in it with their elements. Immutable objects are restored only once.
     */
    public static function graph(string $text, bool $hasHeaps, bool $isImmutable): self
    {
        $encoded = new self(CacheStoreType::SharedGraph, $text, \strlen($text), true, $hasHeaps);
        return $isImmutable ? new self(CacheStoreType::Resident, $encoded->decode(), \strlen($text), false) : $encoded;
    }

    /** Encodes a value with PHP's serializer. Runs the hooks of its objects. */
    public static function serialized(mixed $value): self
    {
        $text = self::serialize($value);
        return new self(CacheStoreType::PHPSerialized, $text, \strlen($text), true);
    }

    public function type(): CacheStoreType
    {
        return $this->type;
    }

    /** Returns the kind of value, in the words of the Inspector. */
    public function typeName(): string
    {
        return match (true) {
            $this->type === CacheStoreType::PHPSerialized => 'serialized',
            $this->isText, $this->type === CacheStoreType::Resident => 'objects',
            default => get_debug_type($this->value),
        };
    }

    public function integer(): ?int
    {
        return \is_int($this->value) ? $this->value : null;
    }

    /** Runs hooks of objects, and passes on what they throw. */
    public function decode(): mixed
    {
        if (!$this->isText) {
            return $this->value;
        }
        \assert(\is_string($this->value));
        $value = unserialize($this->value, self::NO_DEPTH_LIMIT);
        if ($this->type === CacheStoreType::PHPSerialized) {
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
        return $value[0];
    }

    /** Serializes with all digits of floats, even if serialize_precision demands fewer. */
    private static function serialize(mixed $value): string
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
