<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * How values are written on the server. An int becomes decimal digits, so that INCRBY works. Most strings are unchanged, so that programs in
 * other languages can read them. All other values become one of the texts below: strings that look like an int or like one of these texts,
 * and values of other types.
 *
 *     1                            without a secret: a value without objects that could run code, written by PHP's serializer
 *     3, MAC (32 bytes), 1 or 2    with a secret: any value, written by PHP's serializer (1) or igbinary's (2)
 *
 * A text that can create objects is read only if its MAC is right. The MAC proves that a program with the secret wrote the text under this
 * name.
 *
 * @internal
 */
final class Format
{
    /** The minimum length of a secret in bytes. */
    public const SECRET = 16;

    private const SERIALIZE = "\x01";
    private const IGBINARY = "\x02";
    private const SIGNED = "\x03";
    private const MAC = 32;
    private const NAME = 'larder tier 1';

    /** @var list<class-string> classes whose objects cannot run code */
    private const PLAIN = [\stdClass::class];

    private readonly ?string $secret;

    public function __construct(#[\SensitiveParameter] ?string $secret, private readonly bool $igbinary)
    {
        if ($secret !== null && \strlen($secret) < self::SECRET) {
            throw new \ValueError(\sprintf('The secret must have at least %d bytes, %d given', self::SECRET, \strlen($secret)));
        }
        $this->secret = $secret === null ? null : hash_hmac('sha256', self::NAME, $secret, true);
    }

    /**
     * @throws \TypeError the value contains objects, but there is no secret
     * @throws \Exception thrown by a hook of a class
     */
    public function encode(mixed $value, string $name): string
    {
        if (\is_int($value)) {
            return (string) $value;
        }
        if (\is_string($value) && !self::isInt($value) && ($value === '' || $value[0] > self::SIGNED)) {
            return $value;
        }
        if ($this->secret !== null) {
            $text = $this->igbinary ? self::IGBINARY . \igbinary_serialize($value) : self::SERIALIZE . serialize($value);
            return self::SIGNED . $this->mac($text, $name) . $text;
        }
        $text = serialize($value);
        $most = \strlen($text);
        if (!self::isPlain($value, $most)) {
            throw new \TypeError('A value with objects needs a TieredStore with a secret: without one, every writer on the server could create objects here');
        }
        return self::SERIALIZE . $text;
    }

    /** Decodes a text into $value. Returns false, and leaves $value unchanged, if this process cannot read the text. */
    public function decode(string $bytes, string $name, mixed &$value): bool
    {
        if ($bytes === '' || $bytes[0] > self::SIGNED) {
            $value = self::isInt($bytes) ? (int) $bytes : $bytes;
            return true;
        }
        if ($bytes[0] === self::SIGNED && $this->secret !== null) {
            $text = substr($bytes, 1 + self::MAC);
            return hash_equals($this->mac($text, $name), substr($bytes, 1, self::MAC)) && self::decodeTrusted($text, $value);
        }
        return $bytes[0] === self::SERIALIZE && $this->secret === null && self::decodePlain(substr($bytes, 1), $value);
    }

    private function mac(string $text, string $name): string
    {
        return hash_hmac('sha256', pack('J', \strlen($name)) . $name . $text, (string) $this->secret, true);
    }

    private static function decodeTrusted(string $text, mixed &$value): bool
    {
        $serialized = substr($text, 1);
        if (($text[0] ?? '') === self::IGBINARY) {
            if (!\function_exists('igbinary_unserialize')) {
                return false;
            }
            $decoded = @\igbinary_unserialize($serialized);
            $done = ($decoded ?? false) !== false || \in_array($serialized, [\igbinary_serialize(null), \igbinary_serialize(false)], true);
        } else {
            $decoded = @unserialize($serialized);
            $done = $decoded !== false || $serialized === 'b:0;';
        }
        if ($done) {
            $value = $decoded;
        }
        return $done;
    }

    private static function decodePlain(string $serialized, mixed &$value): bool
    {
        $most = \strlen($serialized);
        try {
            $decoded = @unserialize($serialized, ['allowed_classes' => self::PLAIN]);
        } catch (\Throwable) { // for example because a value does not match the type of its property
            return false;
        }
        if (($decoded === false && $serialized !== 'b:0;') || !self::isPlain($decoded, $most)) {
            return false;
        }
        $value = $decoded;
        return true;
    }

    /**
     * Returns true if a value has at most $most parts, and no objects that could run code. The count ends the recursion for an array that
     * contains itself.
     */
    private static function isPlain(mixed $value, int &$most): bool
    {
        if (--$most < 0 || (\is_object($value) && !\in_array($value::class, self::PLAIN, true))) {
            return false;
        }
        if (\is_array($value) || \is_object($value)) {
            foreach ((array) $value as $element) {
                if (!self::isPlain($element, $most)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static function isInt(string $bytes): bool
    {
        return \strlen($bytes) < 21 && (string) (int) $bytes === $bytes;
    }
}
