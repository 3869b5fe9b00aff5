--TEST--
larder: object: an array that contains itself by a reference comes out of a hook as PHP's serializer stores it
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Told { public function __construct(public array $d) {} public function __serialize(): array { return $this->d; } public function __unserialize(array $d): void { $this->d = $d; } }
class Wrapped extends Told { public function __serialize(): array { return ['in' => $this->d]; } public function __unserialize(array $d): void { $this->d = $d['in']; } }
class Asleep { public function __construct(public array $d) {} public function __sleep(): array { return ['d']; } }

/* Arrays that contain themselves through a PHP reference, directly or nested. When the function has returned, each reference has one
 * owner. */
function near(): array { $a = [1, 'x']; $a['self'] = &$a; return $a; }
function far(): array { $a = ['a']; $b = ['b']; $a['b'] = &$b; $b['c'] = [[new ArrayObject([2]), &$a]]; return $a; }
function twice(): array { $a = [1]; $a['one'] = &$a; $a['two'] = &$a; return [$a, near()]; }

/* Returns the serialized value, or the message of the Error that PHP 8.4's serializer throws for an array that contains itself. */
function text(callable $value): string { try { return serialize($value()); } catch (Error $e) { return $e->getMessage(); } }

foreach (['Told', 'Wrapped', 'Asleep'] as $class) foreach (['near', 'far', 'twice'] as $array) {
    foreach (['alone' => new $class($array()), 'within' => [5, [new $class($array())]]] as $where => $value) {
        $wanted = text(fn() => unserialize(serialize($value)));
        foreach ([null, 'packed'] as $form) {
            $got = text(function () use ($value, $form) { VolatileCache::set('k', $value, form: $form); return VolatileCache::get('k'); });
            if ($got !== $wanted) echo "$class $array $where $form differs\n$wanted\n$got\n";
        }
    }
}
/* These nested arrays contain each other through references, but no array contains itself. So Larder must call the hooks of their objects. */
$list = [new Asleep([1])]; for ($i = 0; $i < 20; $i++) { $next = [new Asleep([$i])]; $next[] = &$list; unset($list); $list = $next; unset($next); }
VolatileCache::set('list', $list);
var_dump(serialize(VolatileCache::get('list')) === serialize($list));
unset($value, $list);
gc_collect_cycles(); // free the cycles, which a leak check would report
echo "done\n";
--EXPECT--
bool(true)
done
