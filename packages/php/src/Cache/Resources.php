<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Refuses a value that contains a resource, which a serializer would turn into 0 or null. Results of hooks are not checked.
 *
 * @internal
 */
final class Resources
{
    /** @var array<int, true> objects that were checked already, by their ids */
    private array $objects = [];
    /** @var array<string, true> ids of the references to checked arrays, because an array can contain a reference to itself */
    private array $references = [];

    public static function refuse(mixed $value): void
    {
        if ((new self())->in($value)) {
            throw new \TypeError('A resource cannot be stored');
        }
    }

    private function in(mixed $value): bool
    {
        return match (true) {
            \is_array($value) => $this->inArray($value),
            \is_object($value) => $this->inObject($value),
            default => $value !== null && !\is_scalar($value), // is_resource() is false for a closed resource
        };
    }

    private function inObject(object $object): bool
    {
        $seen = isset($this->objects[spl_object_id($object)]);
        $this->objects[spl_object_id($object)] = true;
        $hooks = $object instanceof \Serializable || method_exists($object, '__serialize') || method_exists($object, '__sleep');
        return !$seen && !$hooks && $this->inArray((array) $object);
    }

    /** @param array<mixed> $array */
    private function inArray(array $array): bool
    {
        foreach ($array as $key => $element) {
            if ($element === null || \is_scalar($element) || (\is_array($element) && $this->seen($array, $key))) {
                continue;
            }
            if ($this->in($element)) {
                return true;
            }
        }
        return false;
    }

    /** @param array<mixed> $array */
    private function seen(array $array, int|string $key): bool
    {
        $reference = \ReflectionReference::fromArrayElement($array, $key)?->getId();
        if ($reference === null) {
            return false;
        }
        $seen = isset($this->references[$reference]);
        $this->references[$reference] = true;
        return $seen;
    }
}
