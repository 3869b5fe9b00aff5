<?php
/* Makes random classes, the same classes with a few random changes, and values of the unchanged classes. Tests read the values with the
 * changed classes. The classes of seed N are in the namespace SN. */

final class RandomClasses
{
    private const BUILTIN = ['\ArrayObject', '\DateTimeImmutable', '\SplObjectStorage', '\ArrayIterator', '\SplQueue', '\SplFixedArray', '\DateInterval', '\SplMinHeap'];
    private const HOOKS = ['', '', '', '', 'state', 'state', 'sleep', 'wakeup', 'sleep wakeup', 'serialize', 'unserialize', 'old', 'get'];
    public array $interfaces;
    public array $enums;
    public array $aliases;
    public array $classes = [];

    public function __construct(private int $seed)
    {
        mt_srand($seed);
        $this->interfaces = ['I0' => [], 'I1' => mt_rand(0, 1) ? ['I0'] : [], 'I2' => mt_rand(0, 2) ? [] : ['I1']];
        $this->enums = ['E0' => ['cases' => ['One', 'Two'], 'backed' => mt_rand(0, 1) === 1, 'implements' => $this->some(array_keys($this->interfaces))]];
        $this->aliases = ['A0' => 'C' . mt_rand(0, 2), 'A1' => 'I' . mt_rand(0, 2)];
        for ($i = 0, $count = mt_rand(3, 5); $i < $count; $i++) {
            $this->classes["C$i"] = $this->randomClass($i);
        }
    }

    private function one(array $list): mixed { return $list[mt_rand(0, count($list) - 1)]; }
    private function chance(int $percent): bool { return mt_rand(0, 99) < $percent; }
    private function some(array $list): array { return array_values(array_filter($list, fn() => mt_rand(0, 2) === 0)); }

    private function randomClass(int $i): array
    {
        $props = [];
        for ($k = 0, $count = mt_rand(0, 4); $k < $count; $k++) {
            $props["p{$i}_$k"] = $this->prop();
        }
        $parent = $i > 0 && $this->chance(45) ? 'C' . mt_rand(0, $i - 1) : ($this->chance(12) ? $this->one(self::BUILTIN) : null);
        return ['kind' => 'class', 'parent' => $parent, 'implements' => $this->some(array_keys($this->interfaces)), 'props' => $props, 'hooks' => $this->one(self::HOOKS),
            'final' => $this->chance(20), 'abstract' => $this->chance(5), 'readonly' => $this->chance(15), 'dynamic' => $this->chance(30)];
    }

    private function prop(): array
    {
        return ['type' => $this->type(), 'visibility' => $this->one(['public', 'public', 'protected', 'private']), 'readonly' => $this->chance(15), 'default' => $this->chance(60), 'hook' => $this->chance(10)];
    }

    private function type(): string
    {
        $name = fn() => $this->one(['I0', 'I1', 'I2', 'C0', 'C1', 'C2', 'C3', 'A0', 'A1', 'E0', 'self']);
        return match (mt_rand(0, 15)) {
            0 => 'int', 1 => 'string', 2 => '?int', 3 => 'int|string', 4 => 'array', 5 => 'mixed', 6 => 'object', 7 => 'iterable', 8, 9 => '',
            10 => 'I0&I1', 11 => '(I0&I2)|null', 12, 13 => '?' . $name(), 14 => $name() . '|int', default => $name(),
        };
    }

    /** Changes the classes as a deployment may do. In one case of ten, changes nothing. */
    public function change(): bool
    {
        mt_srand($this->seed ^ 0x5eed);
        $changes = $this->chance(10) ? 0 : mt_rand(1, 3);
        for ($i = 0; $i < $changes; $i++) {
            $this->changeOne();
        }
        return $changes !== 0;
    }

    private function changeOne(): void
    {
        $name = $this->one(array_keys($this->classes));
        $class = &$this->classes[$name];
        $prop = $class['props'] ? $this->one(array_keys($class['props'])) : null;
        switch (mt_rand(0, 21)) {
            case 0: $class['props']["new$name" . '_' . count($class['props'])] = $this->prop(); break;
            case 1: unset($class['props'][$prop]); break;
            case 2: if ($prop) $class['props'][$prop]['type'] = $this->type(); break;
            case 3: if ($prop) $class['props'][$prop]['readonly'] = !$class['props'][$prop]['readonly']; break;
            case 4: if ($prop) $class['props'][$prop]['default'] = !$class['props'][$prop]['default']; break;
            case 5: if ($prop) $class['props'][$prop]['visibility'] = $this->one(['public', 'protected', 'private']); break;
            case 6: case 7: array_pop($class['implements']); break;
            case 8: $class['implements'] = $this->some(array_keys($this->interfaces)); break;
            case 9: case 10: $class['parent'] = null; break;
            case 11: $class['parent'] = $name !== 'C0' ? 'C' . mt_rand(0, (int) $name[1] - 1) : $this->one(self::BUILTIN); break;
            case 12: $class['final'] = !$class['final']; break;
            case 13: $class['abstract'] = !$class['abstract']; break;
            case 14: $class['readonly'] = !$class['readonly']; break;
            case 15: $class['dynamic'] = !$class['dynamic']; break;
            case 16: $class['hooks'] = $this->one(self::HOOKS); break;
            case 17: $class['kind'] = $this->one(['gone', 'interface', 'enum', 'class']); break;
            case 18: $this->aliases[$this->one(['A0', 'A1'])] = $this->one(['C0', 'C1', 'C2', 'I0', 'I1', 'E0', null, 'real']); break;
            case 19: $this->interfaces[$this->one(['I1', 'I2'])] = $this->chance(50) ? [] : ['I0']; break;
            case 20: $this->enums['E0'] = ['cases' => $this->one([['One'], ['Two'], ['One', 'Two', 'Three'], ['Three']]), 'backed' => $this->chance(50), 'implements' => $this->some(array_keys($this->interfaces))]; break;
            case 21: if ($prop) $class['props'][$prop]['hook'] = !$class['props'][$prop]['hook']; break;
        }
    }

    /* ---- source text ---- */

    private function hasChildren(string $name): bool
    {
        return in_array($name, array_column($this->classes, 'parent'), true);
    }

    private function kind(string $name): string
    {
        return $this->hasChildren($name) && $this->classes[$name]['kind'] !== 'gone' ? 'class' : $this->classes[$name]['kind'];
    }

    private function parent(string $name): ?string
    {
        $parent = $this->classes[$name]['parent'];
        return isset($this->classes[$parent ?? '']) && $this->kind($parent) !== 'class' ? null : $parent;
    }

    private function isReadonly(string $name): bool
    {
        $parent = $this->parent($name);
        return $parent === null ? $this->classes[$name]['readonly'] : isset($this->classes[$parent]) && $this->isReadonly($parent);
    }

    public function isMade(string $name): bool
    {
        return $this->kind($name) === 'class' && !$this->classes[$name]['abstract'];
    }

    public function code(): string
    {
        $code = "namespace S$this->seed {\n";
        foreach ($this->interfaces as $name => $parents) {
            $code .= "interface $name " . ($parents ? 'extends ' . implode(', ', $parents) : '') . " { function id(): int; }\n";
        }
        foreach ($this->enums as $name => $enum) {
            $code .= "enum $name" . ($enum['backed'] ? ': int' : '') . $this->implements($enum['implements']) . ' { ';
            foreach ($enum['cases'] as $i => $case) {
                $code .= "case $case" . ($enum['backed'] ? " = $i; " : '; ');
            }
            $code .= "function id(): int { return 7; } }\n";
        }
        foreach ($this->classes as $name => $_) {
            $code .= match ($this->kind($name)) { 'class' => $this->classCode($name), 'interface' => "interface $name { }\n", 'enum' => "enum $name { case One; }\n", 'gone' => '' };
        }
        foreach ($this->aliases as $alias => $target) {
            if ($target === 'real') {
                $code .= "class $alias { }\n";
            } elseif ($target !== null && (!isset($this->classes[$target]) || $this->kind($target) !== 'gone')) {
                $code .= "\\class_alias('S$this->seed\\$target', 'S$this->seed\\$alias');\n";
            }
        }
        return "$code}\n";
    }

    private function implements(array $interfaces): string
    {
        return $interfaces ? ' implements ' . implode(', ', $interfaces) : '';
    }

    private function classCode(string $name): string
    {
        $class = $this->classes[$name];
        $readonly = $this->isReadonly($name);
        $parent = $this->parent($name);
        $old = $class['hooks'] === 'old' && ($parent === null || $parent[0] !== '\\');
        $code = $class['dynamic'] && !$readonly ? '#[\AllowDynamicProperties] ' : '';
        $code .= ($class['abstract'] ? 'abstract ' : ($class['final'] && !$this->hasChildren($name) ? 'final ' : '')) . ($readonly ? 'readonly ' : '');
        $code .= "class $name" . ($parent ? " extends $parent" : '') . $this->implements(array_merge($class['implements'], $old ? ['\Serializable'] : [])) . " {\n";
        $touched = '';
        foreach ($class['props'] as $prop => $about) {
            $code .= '    ' . $this->propCode($prop, $about, $readonly) . "\n";
            $use = preg_match('/^\??(I\d|C\d|self)$/', $about['type']) ? "\$this->{$prop}->id()" : "(is_object(\$this->$prop) ? spl_object_id(\$this->$prop) : 1)";
            $touched .= " if (isset(\$this->$prop)) \$sum += $use;";
        }
        $code .= "    function id(): int { return $name[1]; }\n    function touch$name(): int { for (\$i = \$sum = 0; \$i < 5; \$i++) {{$touched} } return \$sum; }\n";
        $names = implode(', ', array_map(fn($prop) => "'$prop'", array_keys($class['props'])));
        if ($class['hooks'] === 'state') {
            $code .= "    private mixed \$told$name" . ($readonly ? '' : ' = null') . ";\n    function __serialize(): array { return [\$this->told$name ?? null]; } function __unserialize(array \$data): void { \$this->told$name = \$data[0]; }\n";
        }
        $code .= match ($class['hooks']) {
            'sleep' => "    function __sleep() { return [$names]; }\n",
            'wakeup' => "    function __wakeup() { }\n",
            'sleep wakeup' => "    function __sleep() { return [$names]; } function __wakeup() { }\n",
            'serialize' => "    function __serialize(): array { return ['x' => 1]; }\n",
            'unserialize' => "    function __unserialize(array \$data): void { }\n",
            'get' => "    function __get(\$name) { return null; }\n",
            default => $old ? "    function serialize() { return 'old'; } function unserialize(\$data) { }\n" : '',
        };
        return "$code}\n";
    }

    private function propCode(string $prop, array $about, bool $readonly): string
    {
        $type = $about['type'];
        $own = $about['readonly'] && !$readonly;
        if ($readonly || $own) {
            $type = $type ?: 'mixed';
        }
        $default = match (true) {
            $readonly || $own || !$about['default'] => '',
            $type === '', $type === 'string' => " = 'default'",
            $type === 'int', $type === 'int|string' => ' = 3',
            $type === 'array', $type === 'iterable' => ' = [1]',
            $type === 'mixed', $type[0] === '?', str_ends_with($type, '|null') => ' = null',
            default => '',
        };
        $hook = PHP_VERSION_ID >= 80400 && $about['hook'] && !$readonly && !$own ? " { get => \$this->$prop; }" : ';';
        return $about['visibility'] . ($own ? ' readonly' : '') . " $type \$$prop$default$hook";
    }

    /* ---- values: the classes are loaded ---- */

    public function value(): mixed
    {
        mt_srand($this->seed ^ 0xa11);
        $objects = [];
        foreach (array_keys($this->classes) as $name) {
            for ($i = $this->isMade($name) ? mt_rand(1, 2) : 0; $i > 0; $i--) {
                $objects[] = $this->make("S$this->seed\\$name");
            }
        }
        $objects[] = ("S$this->seed\\E0")::One;
        foreach ($objects as $object) {
            $object instanceof UnitEnum || $this->fill($object, $objects);
        }
        return match (mt_rand(0, 3)) { 0 => $this->one($objects), 1 => [$objects], default => $objects };
    }

    private function make(string $class): object
    {
        return match (true) {
            is_a($class, DateTimeImmutable::class, true) => new $class('@' . mt_rand(0, 99999999)),
            is_a($class, DateInterval::class, true) => new $class('PT5M'),
            is_a($class, ArrayObject::class, true), is_a($class, ArrayIterator::class, true) => new $class([1, 'k' => 'v']),
            is_a($class, SplFixedArray::class, true) => new $class(2),
            default => new $class,
        };
    }

    /** Sets most properties to a value that their type allows, usually an object. */
    private function fill(object $object, array $objects): void
    {
        $set = function (string $name, mixed $value): bool {
            try { $this->$name = $value; return true; } catch (Error) { return false; }
        };
        for ($scope = new ReflectionClass($object); $scope && !$scope->isInternal(); $scope = $scope->getParentClass()) {
            foreach ($scope->getProperties() as $property) {
                if ($property->class !== $scope->name || $this->chance(15)) {
                    continue;
                }
                $tries = $objects;
                shuffle($tries);
                $tries = array_merge($this->chance(80) ? $tries : [], [[1, [2]], 'text', 5, null]);
                foreach ($tries as $value) {
                    if (Closure::bind($set, $object, $scope->name)($property->name, $value)) {
                        break;
                    }
                }
            }
        }
        if ($this->chance(15)) {
            $set = fn($value) => @$this->added = $value;
            try { Closure::bind($set, $object, null)($this->one($objects)); } catch (Error) { }
        }
    }
}

/** Uses the properties of all objects in a value, as compiled code does. */
function random_classes_use(mixed $value, array &$seen = []): int
{
    $sum = 0;
    if (is_object($value) && !$value instanceof __PHP_Incomplete_Class) {
        if (isset($seen[spl_object_id($value)])) return 0;
        $seen[spl_object_id($value)] = $value;
        for ($class = get_class($value); $class; $class = get_parent_class($class)) {
            $method = 'touch' . substr(strrchr("\\$class", '\\'), 1);
            if (method_exists($value, $method)) $sum += $value->$method();
        }
        if ($value instanceof UnitEnum) return 1;
        $value = get_mangled_object_vars($value);
    }
    if (is_array($value)) foreach ($value as $one) $sum += random_classes_use($one, $seen);
    return $sum;
}
