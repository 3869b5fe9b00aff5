<?php

declare(strict_types=1);

/** A value that contains the key and the number from which it was made. */
final class Value
{
    public readonly string $text;
    public readonly int $sum;
    private array $list;

    public function __construct(public readonly string $key, public readonly int $n)
    {
        $this->text = str_repeat(md5("$key $n"), 1 + $n % 300);
        $this->list = range($n, $n + 20);
        $this->sum = crc32($this->text);
    }

    public static function good(mixed $value, string $key): bool
    {
        return $value instanceof self && $value->key === $key && $value == new self($key, $value->n) && crc32($value->text) === $value->sum;
    }
}
