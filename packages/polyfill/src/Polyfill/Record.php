<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Makes objects of public classes that have private constructors. */
final class Record
{
    /**
     * @template T of object
     * @param class-string<T> $class
     * @param array<string, mixed> $properties
     * @return T
     */
    public static function make(string $class, array $properties): object
    {
        $object = (new \ReflectionClass($class))->newInstanceWithoutConstructor();
        foreach ($properties as $name => $value) {
            (new \ReflectionProperty($class, $name))->setValue($object, $value);
        }
        return $object;
    }
}
