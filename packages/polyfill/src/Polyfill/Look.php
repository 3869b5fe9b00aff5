<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Finds out whether a value can be stored, and whether it contains objects. Runs no code of the program. */
final class Look
{
    public const DEPTH = 4096;

    /** True if the value contains objects or references. */
    public bool $isGraph = false;
    public bool $needsSerializer = false;
    /** @var array<string, string> */
    public array $classes = [];
    private int $depth = 0;
    /** @var array<int, object> the visited objects, by id. They are kept here, so that PHP does not reuse their ids */
    private array $objects = [];
    /** @var array<string, true> */
    private array $references = [];

    /** @param object|null $sought if the value contains this object, Refused is thrown */
    public function __construct(private readonly bool $refusesHeaps = false, private readonly ?object $sought = null) {}

    /** Returns an exception with the path to $object in $value, or null. Does not search the results of hooks, because it calls no hooks. */
    public static function pathOf(object $object, mixed $value): ?Refused
    {
        try {
            (new self(sought: $object))->value($value);
        } catch (Refused $found) {
            return $found;
        }
        return null;
    }

    /** @throws Refused */
    public function value(mixed $value): void
    {
        if (\is_array($value)) {
            $this->elements($value, Refused::keyStep(...));
        } elseif (\is_object($value)) {
            $this->object($value);
        } elseif ($value !== null && !\is_scalar($value)) {
            throw new Refused('must not contain a resource');
        }
    }

    public static function refusedObject(object $object): Refused
    {
        return new Refused('must not contain an instance of ' . explode("\0", $object::class)[0]);
    }

    public static function tooDeep(): Refused
    {
        $depth = self::DEPTH;
        return new Refused("must not be nested deeper than $depth levels where it contains objects or references", \ValueError::class);
    }

    /** Returns the step of a path to a property, such as "->name". $name is a key of get_mangled_object_vars(). */
    public static function propertyStep(int|string $name): string
    {
        return '->' . preg_replace('/^\0.*\0/s', '', (string) $name);
    }

    /**
     * @param array<mixed> $array
     * @param callable(int|string): string $step
     */
    private function elements(array $array, callable $step): void
    {
        $this->depth++;
        foreach ($array as $key => $value) {
            $reference = \ReflectionReference::fromArrayElement($array, $key)?->getId();
            if ($reference !== null) {
                $this->isGraph = true;
                if (isset($this->references[$reference])) {
                    continue;
                }
                $this->references[$reference] = true;
            }
            if ($value === null || \is_scalar($value)) {
                continue;
            }
            try {
                $this->value($value);
            } catch (Refused $refused) {
                throw $refused->at($step($key));
            }
        }
        if ($this->depth-- >= self::DEPTH && $this->isGraph) {
            throw self::tooDeep();
        }
    }

    private function object(object $object): void
    {
        $kind = Kind::of($object);
        if ($kind->isRefused || $object === $this->sought) {
            throw self::refusedObject($object);
        }
        $this->isGraph = true;
        $class = $object instanceof \UnitEnum ? $object::class . ":$object->name" : $object::class;
        $this->classes[$class] ??= Kind::shape($class);
        if ($kind->isEnum || isset($this->objects[spl_object_id($object)])) {
            return;
        }
        $this->objects[spl_object_id($object)] = $object;
        $this->needsSerializer = $this->needsSerializer || $kind->needsSerializer;
        if ($kind->isHeap) {
            $this->heap($object);
        }
        if ($kind->hasOwnState) {
            \assert(method_exists($object, '__serialize'));
            $state = $object->__serialize();
            \assert(\is_array($state));
            $this->elements($state, fn(int|string $key) => '->__serialize()' . Refused::keyStep($key));
        } elseif (!$kind->hasHook && !$object instanceof \Serializable) {
            $this->elements(get_mangled_object_vars($object), self::propertyStep(...));
        }
    }

    private function heap(object $heap): void
    {
        \assert($heap instanceof \SplHeap || $heap instanceof \SplPriorityQueue);
        if ($this->refusesHeaps && \count($heap) > 0) {
            throw new Refused('must not contain a non-empty ' . $heap::class . " together with what only PHP's serializer takes, "
                . 'which would empty it');
        }
        $this->elements(Heap::elements($heap), Refused::keyStep(...));
    }
}
