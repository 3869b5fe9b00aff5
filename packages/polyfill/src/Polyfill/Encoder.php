<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * Makes the text from which unserialize() restores a value with objects or references. PHP's own serializer would lose resources and the
 * elements of heaps. Begin reading at encode().
 */
final class Encoder
{
    private string $text = '';
    /** The number of values in the text, as unserialize() counts them: 1 is the outermost array. */
    private int $count = 1;
    private int $depth = 0;
    /**
     * @var array<int, array{int, object}> by object id: the number of the object (see $count), and the object. The object is kept here, so that
     * PHP does not reuse its id
     */
    private array $objects = [];
    /** @var array<string, int> the number (see $count) of each reference, by PHP's id of the reference */
    private array $references = [];
    /** @var list<array{int, list<mixed>, object}> for each heap: its number (see $count), its elements, and the heap itself */
    private array $heaps = [];
    /**
     * @var list<array<mixed>> the results of hooks. They are kept here, so that PHP does not reuse the ids of the references in them
     * @phpstan-ignore property.onlyWritten
     */
    private array $held = [];
    /** @var array<string, string> */
    private array $classes = [];
    private bool $isImmutable = true;
    private bool $hasImmutable = false;

    /**
     * Encodes a value. Runs hooks of objects, and lets their exceptions pass.
     * @throws Refused
     */
    public static function encode(mixed $value): Encoded
    {
        if ($value === null || \is_scalar($value)) {
            return Encoded::scalar($value);
        }
        $look = new Look();
        $look->value($value);
        if (\is_array($value) && !$look->isGraph) {
            return Encoded::plainArray($value);
        }
        if ($look->needsSerializer) {
            (new Look(refusesHeaps: true))->value($value);
            return Encoded::serialized($value, $look->classes);
        }
        return (new self())->graph($value);
    }

    private function graph(mixed $value): Encoded
    {
        $this->value($value);
        $text = "a:2:{i:0;{$this->text}i:1;a:";
        $this->text = '';
        $this->count++;
        // the list grows if the elements of a heap contain heaps
        for ($i = 0; $i < \count($this->heaps); $i++) {
            [$number, $elements, $heap] = $this->heaps[$i];
            $this->text .= "i:$i;a:2:{i:0;r:$number;i:1;";
            $this->count += 2; // the array (a:2) and its first element; value() counts the second one
            try {
                $this->value($elements);
            } catch (Refused $refused) {
                throw $refused->under(Look::pathOf($heap, $value));
            }
            $this->text .= '}';
        }
        $text .= \count($this->heaps) . ":{{$this->text}}}";
        return Encoded::graph($text, $this->heaps !== [], $this->isImmutable && $this->hasImmutable, $this->classes);
    }

    private function value(mixed $value): void
    {
        $this->count++;
        if (\is_array($value)) {
            $this->text .= 'a:';
            $this->elements($value, Refused::keyStep(...));
        } elseif (\is_object($value)) {
            $this->object($value);
        } else {
            $this->text .= match (true) {
                $value === null => 'N;',
                \is_bool($value) => $value ? 'b:1;' : 'b:0;',
                \is_int($value) => "i:$value;",
                \is_string($value) => 's:' . \strlen($value) . ":\"$value\";",
                \is_float($value) => 'd:' . (is_finite($value) ? sprintf('%.17h', $value) : var_export($value, true)) . ';',
                default => throw new Refused('must not contain a resource'),
            };
        }
    }

    /**
     * @param array<mixed> $array
     * @param callable(int|string): string $step
     */
    private function elements(array $array, callable $step): void
    {
        if (++$this->depth >= Look::DEPTH) {
            throw Look::tooDeep();
        }
        $this->text .= \count($array) . ':{';
        foreach ($array as $key => $value) {
            $this->text .= \is_int($key) ? "i:$key;" : 's:' . \strlen($key) . ":\"$key\";";
            $reference = \ReflectionReference::fromArrayElement($array, $key)?->getId();
            if ($reference !== null) {
                $this->isImmutable = false;
                if (isset($this->references[$reference])) {
                    $this->text .= "R:{$this->references[$reference]};";
                    continue;
                }
                $this->references[$reference] = $this->count + 1;
            }
            try {
                $this->value($value);
            } catch (Refused $refused) {
                throw $refused->at($step($key));
            }
        }
        $this->text .= '}';
        $this->depth--;
    }

    private function object(object $object): void
    {
        $kind = Kind::of($object);
        if ($kind->isRefused) {
            throw Look::refusedObject($object);
        }
        if ($object instanceof \UnitEnum) {
            $name = $object::class . ':' . $object->name;
            $this->classes[$name] = Kind::shape($name);
            $this->text .= 'E:' . \strlen($name) . ":\"$name\";";
            return;
        }
        $known = $this->objects[spl_object_id($object)] ?? null;
        if ($known !== null) {
            $this->text .= "r:$known[0];";
            return;
        }
        $this->objects[spl_object_id($object)] = [$this->count, $object];
        $this->classes[$object::class] ??= Kind::shape($object::class);
        $this->isImmutable = $this->isImmutable && $kind->isImmutable && Kind::isComplete($object);
        $this->hasImmutable = $this->hasImmutable || $kind->isImmutable;
        if ($kind->isHeap) {
            \assert($object instanceof \SplHeap || $object instanceof \SplPriorityQueue);
            $this->heaps[] = [$this->count, Heap::elements($object), $object];
        }
        if ($kind->needsSerializer && !$kind->hasOwnState && $object instanceof \Serializable) {
            $this->text .= serialize($object);
            return;
        }
        $this->text .= 'O:' . \strlen($object::class) . ':"' . $object::class . '":';
        if (!method_exists($object, '__serialize')) {
            $this->elements($kind->hasHook ? $this->awake($object) : get_mangled_object_vars($object), Look::propertyStep(...));
            return;
        }
        $answer = $object->__serialize();
        \assert(\is_array($answer));
        $this->held[] = $answer;
        $this->elements($answer, fn(int|string $key) => '->__serialize()' . Refused::keyStep($key));
    }

    /** @return array<mixed> the properties that __sleep() names */
    private function awake(object $object): array
    {
        $all = get_mangled_object_vars($object);
        $awake = [];
        \assert(method_exists($object, '__sleep'));
        $names = $object->__sleep();
        foreach (\is_array($names) ? array_filter($names, \is_string(...)) : [] as $name) {
            $mangled = array_filter(
                [$name, "\0" . $object::class . "\0$name", "\0*\0$name"],
                fn(string $mangled) => \array_key_exists($mangled, $all),
            );
            if ($mangled === []) {
                trigger_error("\"$name\" returned as member variable from __sleep() but does not exist", E_USER_WARNING);
                continue;
            }
            $awake[current($mangled)] = &$all[current($mangled)];
        }
        $this->held[] = $all;
        return $awake;
    }
}
