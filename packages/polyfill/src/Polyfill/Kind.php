<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** The facts about a class that are needed to store its objects. */
final class Kind
{
    /** PHP's own classes whose objects are stored by their content. Objects of PHP's other classes are stored by PHP's serializer. */
    private const BUILT_IN = [
        \stdClass::class, \DateTime::class, \DateTimeImmutable::class, \DateTimeZone::class, \DateInterval::class,
        \DatePeriod::class, \ArrayObject::class, \ArrayIterator::class, \SplObjectStorage::class,
        \SplDoublyLinkedList::class, \SplFixedArray::class, \SplHeap::class, \SplPriorityQueue::class,
    ];
    private const HOOKS = ['__serialize', '__unserialize', '__sleep', '__wakeup', '__get', '__set', '__isset', '__unset', '__destruct'];

    /** @var array<class-string, self> */
    private static array $known = [];

    /** @var array<string, string> */
    private static array $shapes = [];

    public readonly bool $isRefused;
    public readonly bool $isEnum;
    public readonly bool $isHeap;
    /** True if only PHP's serializer can store objects of the class. */
    public readonly bool $needsSerializer;
    /** True if PHP itself implements __serialize() for the class. This method runs no code of the program. */
    public readonly bool $hasOwnState;
    /** True if the program implements __serialize() or __sleep(). */
    public readonly bool $hasHook;
    /** True if an object never changes once all its properties are set. */
    public readonly bool $isImmutable;

    public static function of(object $object): self
    {
        return self::$known[$object::class] ??= new self(new \ReflectionClass($object));
    }

    /** @param \ReflectionClass<object> $class */
    private function __construct(\ReflectionClass $class)
    {
        $serialize = $class->hasMethod('__serialize') ? $class->getMethod('__serialize') : null;
        for ($builtIn = $class; $builtIn instanceof \ReflectionClass && !$builtIn->isInternal();) {
            $builtIn = $builtIn->getParentClass();
        }
        $this->isEnum = $class->isEnum();
        $this->isRefused = $class->isAnonymous() || \in_array(Closed::class, $class->getTraitNames(), true)
            || ($builtIn !== false && !$this->isEnum && self::refusesSerializer($builtIn->name));
        $this->isHeap = $serialize === null && ($class->name === \SplHeap::class || is_subclass_of($class->name, \SplHeap::class)
            || is_a($class->name, \SplPriorityQueue::class, true));
        $this->hasOwnState = $serialize !== null && $serialize->isInternal();
        $this->hasHook = !$this->hasOwnState && ($serialize !== null || $class->hasMethod('__sleep'));
        $this->needsSerializer = ($serialize === null && $class->implementsInterface(\Serializable::class))
            || ($serialize !== null && !$class->hasMethod('__unserialize'))
            || ($builtIn !== false && !$this->isEnum && !self::isBuiltIn($builtIn->name));
        $this->isImmutable = $builtIn === false && $class->isReadOnly()
            && (PHP_VERSION_ID < 80400 || $class->isFinal()) && array_filter(self::HOOKS, $class->hasMethod(...)) === [];
    }

    /**
     * Returns a text that identifies the declared properties of a class. $class is "CLASS" or "ENUM:CASE". Returns '' if the class or the
     * case does not exist.
     */
    public static function shape(string $class): string
    {
        $shape = self::$shapes[$class] ?? self::look($class);
        if ($shape !== '') {
            self::$shapes[$class] = $shape;
        }
        return $shape;
    }

    private static function look(string $class): string
    {
        $name = explode(':', $class)[0];
        $case = substr($class, \strlen($name) + 1);
        if (!class_exists($name)) {
            return '';
        }
        $reflection = new \ReflectionClass($name);
        if ($case !== '') {
            return $reflection->hasConstant($case) ? 'enum' : '';
        }
        if ($reflection->isInternal() || $reflection->hasMethod('__unserialize')) {
            return 'class';
        }
        $properties = [];
        for ($at = $reflection; $at !== false; $at = $at->getParentClass()) {
            foreach ($at->getProperties() as $property) {
                if (!$property->isStatic()) {
                    $properties["{$property->class}::$property->name"] = "$property->name {$property->getType()} {$property->getModifiers()}";
                }
            }
        }
        return md5(implode("\n", $properties));
    }

    /** Returns true if all declared properties of an object are set. */
    public static function isComplete(object $object): bool
    {
        $declared = array_filter((new \ReflectionClass($object))->getProperties(), fn($property) => !$property->isStatic());
        return \count(get_mangled_object_vars($object)) >= \count($declared);
    }

    private static function isBuiltIn(string $class): bool
    {
        return array_filter(self::BUILT_IN, fn(string $known) => is_a($class, $known, true)) !== [];
    }

    /**
     * Returns true if PHP refuses to serialize objects of the class. Calls unserialize(), because it refuses the same classes.
     */
    private static function refusesSerializer(string $class): bool
    {
        try {
            @unserialize('O:' . \strlen($class) . ":\"$class\":0:{}");
        } catch (\Throwable $error) {
            return $error->getMessage() === "Unserialization of '$class' is not allowed";
        }
        return false;
    }
}
