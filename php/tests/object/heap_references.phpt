--TEST--
larder: object: a heap's typed property behind a reference comes back as one, and the reference knows its type
--EXTENSIONS--
larder
--SKIPIF--
<?php if (method_exists(SplHeap::class, '__unserialize')) die('skip this PHP restores heaps by a method of its own, which forgets the types of references'); ?>
--FILE--
<?php
use Larder\VolatileCache;

class Base extends SplMinHeap { private int $own = 1; protected ?array $list = null; public function own(): int { return $this->own; } public function &ownRef() { return $this->own; } public function &listRef() { return $this->list; } }
#[AllowDynamicProperties] class Heap extends Base { public int $i = 1; public $any = 'any'; public int|string $both = 'both'; public ?Heap $me = null; }
class Line extends SplPriorityQueue { public int $i = 1; }
class Typed { public int $i = 1; }
class Hook { public $r; function __wakeup() { $this->r = self::$put; } static $put; }
function put(string $what, callable $do): void { try { $do(); echo "$what: written\n"; } catch (TypeError $e) { echo "$what: ", $e->getMessage(), "\n"; } }

$ways = ['unserialize' => fn($v) => unserialize(serialize($v)), 'larder' => function ($v) { VolatileCache::set('k', $v) or print("not stored\n"); return VolatileCache::get('k'); }];
foreach ($ways as $how => $way) {
    echo "-- $how\n";
    foreach ([Heap::class, Line::class] as $class) {
        $o = new stdClass; $o->v = 5; $h = new $class; $h->i = &$o->v;
        [$o2, $h2] = $way([$o, $h]);
        $o2->v = 6;
        echo "$class ", $h2->i, "\n";
        put('a text into it', function () use ($o2) { $o2->v = 'text'; });
        var_dump($h2->i);
        unset($h2);
        gc_collect_cycles();
        put('a text, when the heap has gone', function () use ($o2) { $o2->v = 'text'; });
    }
    $t = new Typed; $h = new Heap; $t->i = &$h->i;
    $got = $way(['h' => $h, 't' => $t, 'r' => &$h->i]);
    unset($got['h']);
    gc_collect_cycles();
    put('the source of another object stays', function () use (&$got) { $got['r'] = 'text'; });
    unset($got['t']);
    put('until it goes, too', function () use (&$got) { $got['r'] = 'text'; });

    $h = new Heap;
    $own = &$h->ownRef(); $list = &$h->listRef();
    $v = ['h' => $h, 'own' => &$own, 'list' => &$list, 'any' => &$h->any, 'both' => &$h->both, 'me' => &$h->me];
    $h->me = $h; $h->added = &$v['added']; $v['added'] = [1];
    $v = $way($v);
    unset($own, $list, $h);
    put('private', function () use (&$v) { $v['own'] = 7; $v['own'] = 'text'; });
    put('protected', function () use (&$v) { $v['list'] = [7]; $v['list'] = 7; });
    put('untyped', function () use (&$v) { $v['any'] = []; });
    put('several', function () use (&$v) { $v['both'] = 7; $v['both'] = 'text'; $v['both'] = []; });
    put('itself', function () use (&$v) { $v['me'] = 7; });
    put('added', function () use (&$v) { $v['added'] = 7; });
    $h = $v['h'];
    echo json_encode([$h->own(), $h->listRef(), $h->any, $h->both, $h->me === $h, $h->added]), "\n";
    $v = $h = null;
    gc_collect_cycles();
}
echo "-- a hook changes it first\n";
foreach ([7, 'text', '7'] as Hook::$put) {
    $hook = new Hook; $hook->r = 1; $h = new Heap; $h->i = &$hook->r;
    $h->insert(3);
    put(json_encode(Hook::$put), function () use ($hook, $h, $ways) {
        [$hook, $h] = $ways['larder']([$hook, $h]);
        echo json_encode([$hook->r, $h->i, count($h)]), ' ';
    });
}
--EXPECT--
-- unserialize
Heap 6
a text into it: Cannot assign string to reference held by property Heap::$i of type int
int(6)
a text, when the heap has gone: written
Line 6
a text into it: Cannot assign string to reference held by property Line::$i of type int
int(6)
a text, when the heap has gone: written
the source of another object stays: Cannot assign string to reference held by property Typed::$i of type int
until it goes, too: written
private: Cannot assign string to reference held by property Base::$own of type int
protected: Cannot assign int to reference held by property Base::$list of type ?array
untyped: written
several: Cannot assign array to reference held by property Heap::$both of type string|int
itself: Cannot assign int to reference held by property Heap::$me of type ?Heap
added: written
[7,[7],[],"text",true,7]
-- larder
Heap 6
a text into it: Cannot assign string to reference held by property Heap::$i of type int
int(6)
a text, when the heap has gone: written
Line 6
a text into it: Cannot assign string to reference held by property Line::$i of type int
int(6)
a text, when the heap has gone: written
the source of another object stays: Cannot assign string to reference held by property Typed::$i of type int
until it goes, too: written
private: Cannot assign string to reference held by property Base::$own of type int
protected: Cannot assign int to reference held by property Base::$list of type ?array
untyped: written
several: Cannot assign array to reference held by property Heap::$both of type string|int
itself: Cannot assign int to reference held by property Heap::$me of type ?Heap
added: written
[7,[7],[],"text",true,7]
-- a hook changes it first
[7,7,1] 7: written
"text": Cannot assign string to property Heap::$i of type int
"7": Cannot assign string to property Heap::$i of type int
