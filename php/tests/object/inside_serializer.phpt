--TEST--
larder: object: values stored and fetched inside a Serializable hook are not mixed up with the serialize() around it
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

class User { public function __construct(public string $name = '') {} }
class Old implements Serializable { /* a value that contains an Old is stored by PHP's serializer */
    public function __construct(public mixed $v = 1) {}
    public function serialize() { return serialize($this->v); }
    public function unserialize($s) { $this->v = unserialize($s); }
}
class Hooked { /* is stored natively, and calls the serializer in its hooks */
    public bool $woken = false;
    public function __construct(public mixed $v = null) {}
    public function __serialize(): array { return ['text' => serialize($this->v)]; }
    public function __unserialize(array $d): void { $this->v = unserialize($d['text']); }
}
class Sleeper { public $text; public $woken; public function __construct(public mixed $v = null) {}
    public function __sleep() { $this->text = serialize($this->v); return ['text']; }
    public function __wakeup() { $this->v = unserialize($this->text); $this->woken = true; } }
class Inside implements Serializable { /* runs code of the test while PHP's serializer runs */
    public static ?Closure $store = null, $fetch = null;
    public $got;
    public function __construct(public mixed $v = null) {}
    public function serialize() { if (self::$store) (self::$store)($this->v); return serialize($this->v); }
    public function unserialize($s) { if (self::$fetch) $this->got = (self::$fetch)(); $this->v = unserialize($s); }
}
$user = new User('alice');
$makes = [
    'serializer' => fn($u) => ['o' => new Old, 'u' => $u, 'again' => $u],
    '__serialize' => fn($u) => ['h' => new Hooked([$u, $u])],
    '__sleep' => fn($u) => ['h' => new Sleeper([$u, $u])],
    'both' => fn($u) => ['h' => new Hooked([new Old($u), $u]), 'o' => new Old([$u, $u])],
];
$check = function ($v) use (&$check) {
    if (!is_array($v)) return var_export($v, true);
    $users = [];
    array_walk_recursive($v, $walk = function ($x) use (&$walk, &$users) {
        if ($x instanceof User) $users[] = $x;
        elseif (is_object($x)) { $y = [$x->v]; array_walk_recursive($y, $walk); if ($x instanceof Sleeper && !$x->woken) echo "asleep "; }
    });
    return implode(' ', array_map(fn($u) => $u->name, $users)) . (count($users) > 1 && $users[0] === end($users) ? ' same' : '');
};
foreach ($makes as $how => $make) {
    echo "$how: ";
    VolatileCache::clear();
    Inside::$fetch = null;
    Inside::$store = fn($u) => VolatileCache::set('inside', $make($u));
    $text = serialize([$user, 'i' => new Inside($user), $user]);
    echo VolatileCache::getCacheStoreType('inside')->name, ': ', $check(VolatileCache::get('inside', 'a miss')), '; ';
    VolatileCache::set('page', [$user, new Inside($user), $user]);
    echo $check(VolatileCache::get('inside', 'a miss')), '; ';
    Inside::$store = null;
    VolatileCache::set('inside', $make($user));
    Inside::$fetch = fn() => VolatileCache::get('inside', 'a miss');
    foreach ([unserialize($text), VolatileCache::get('page')] as $got) {
        $i = $got['i'] ?? $got[1];
        echo $check($i->got), ', around it ', $check(array_values($got)), ' ', var_export($got[0] === $i->v, true), '; ';
    }
    echo "\n";
}
echo "what throws inside: ";
class Thrower implements Serializable { public function serialize() { throw new LogicException('stored'); } public function unserialize($s) { throw new LogicException('fetched'); } }
class Throws { public function __serialize(): array { throw new LogicException('stored'); } }
Inside::$store = function () { foreach ([new Thrower, [new Throws]] as $t) try { VolatileCache::set('t', $t); } catch (LogicException $e) { echo $e->getMessage(), ' '; } };
Inside::$fetch = null;
$got = unserialize(serialize([$user, new Inside($user), new Inside($user), $user]));
var_dump($got[0]->name, $got[0] === $got[1]->v && $got[0] === $got[2]->v && $got[0] === $got[3]);
--EXPECT--
serializer: PHPSerialized: alice alice same; alice alice same; alice alice same, around it alice alice alice same true; alice alice same, around it alice alice alice same true; 
__serialize: SharedGraph: alice alice same; alice alice same; alice alice same, around it alice alice alice same true; alice alice same, around it alice alice alice same true; 
__sleep: SharedGraph: alice alice same; alice alice same; alice alice same, around it alice alice alice same true; alice alice same, around it alice alice alice same true; 
both: PHPSerialized: alice alice alice alice; alice alice alice alice; alice alice alice alice, around it alice alice alice same true; alice alice alice alice, around it alice alice alice same true; 
what throws inside: stored stored stored stored string(5) "alice"
bool(true)
