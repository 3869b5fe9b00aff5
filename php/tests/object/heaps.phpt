--TEST--
larder: object: heaps and priority queues come back with their content, in every order and mode
--EXTENSIONS--
larder
--INI--
larder.compat=apcu, immutable_cache
--SKIPIF--
<?php require __DIR__ . '/../compat_apcu/ours.inc'; ?>
--FILE--
<?php
use Larder\VolatileCache;

class Tasks extends SplHeap
{
    public string $order = 'up';
    private array $log = ['made'];
    public static int $compared = 0;
    public static bool $throws = false;
    protected function compare($a, $b): int { self::$compared++; if (self::$throws) throw new RangeException('compare'); return $this->order === 'up' ? $b <=> $a : $a <=> $b; }
    public function log(): array { return $this->log; }
}
class Jobs extends SplPriorityQueue { public ?object $owner = null; public function compare($a, $b): int { return $b <=> $a; } }
#[AllowDynamicProperties] class Loose extends SplMinHeap {}
class Wakes extends SplMinHeap { public function __wakeup(): void {} }

function filled(SplHeap $heap, array $values): SplHeap { foreach ($values as $v) $heap->insert($v); return $heap; }
function queued(SplPriorityQueue $queue, array $values): SplPriorityQueue { foreach ($values as [$v, $p]) $queue->insert($v, $p); return $queue; }
mt_srand(5);
$down = new Tasks; $down->order = 'down';
$flags = queued(new SplPriorityQueue, [['a', 1], ['b', 2]]); $flags->setExtractFlags(SplPriorityQueue::EXTR_BOTH);
$loose = filled(new Loose, [2, 1]); $loose->added = ['x' => 1];
$heaps = [
    'empty' => new SplMinHeap, 'one' => filled(new SplMaxHeap, [7]), 'min' => filled(new SplMinHeap, [3, 1, 2, 1, 3]), 'max' => filled(new SplMaxHeap, ['b', 'a', 'c']), 'arrays' => filled(new SplMinHeap, [[1, 'x'], [0, 'y'], [1, 'z']]),
    'many' => filled(new SplMinHeap, array_map(fn() => mt_rand(0, 99), range(1, 5000))), 'own' => filled(new Tasks, [3, 1, 2]), 'own, down' => filled($down, [3, 1, 2]), 'queue' => queued(new SplPriorityQueue, array_map(fn($i) => ["v$i", $i % 5], range(1, 300))),
    'array priorities' => queued(new SplPriorityQueue, [['x', [1, 2]], ['y', [1, 3]]]), 'own queue' => queued(new Jobs, [['a', 3], ['b', 1], ['c', 2]]), 'flags' => $flags, 'added' => $loose,
    'objects' => filled(new SplMaxHeap, [new ArrayObject([1]), new ArrayObject([1, 2])]), 'in a heap' => filled(new SplMaxHeap, [filled(new SplMinHeap, [2, 1])]), 'large' => filled(new SplMaxHeap, [str_repeat('x', 100000)]),
];
/* Compares the order of the elements in memory, and the order in which they come out. Equal elements must keep their order, too. */
$same = function (object $a, object $b) use (&$same): bool {
    return get_class($a) === get_class($b) && serialize($a->__debugInfo()) === serialize($b->__debugInfo()) && serialize(iterator_to_array(clone $a, false)) === serialize(iterator_to_array(clone $b, false));
};
foreach ($heaps as $name => $heap) {
    VolatileCache::set('heap', $heap); VolatileCache::set('within', ['x' => [$heap, $heap]]); apcu_store('heap', $heap); immutable_cache_add($name, $heap);
    $got = VolatileCache::get('heap'); $within = VolatileCache::get('within')['x'];
    $good = $same($heap, $got) && $same($heap, $within[0]) && $within[0] === $within[1] && $same($heap, apcu_fetch('heap')) && $same($heap, immutable_cache_fetch($name));
    if (!$good) { echo "$name: "; var_dump($heap, $got); }
}
echo "all of ", count($heaps), "\n";
$got = VolatileCache::get('heap');
$flags = (function () use ($flags) { VolatileCache::set('f', $flags); return VolatileCache::get('f'); })();
echo $flags->getExtractFlags(), ' ', json_encode($flags->extract()), ' ', json_encode((function () use ($loose) { VolatileCache::set('l', $loose); return VolatileCache::get('l')->added; })()), "\n";
VolatileCache::set('t', $heaps['own, down']); Tasks::$compared = 0; $got = VolatileCache::get('t');
echo $got->order, ' ', json_encode($got->log()), ' compared ', Tasks::$compared, ' times, then ', json_encode(iterator_to_array($got, false)), "\n";
$self = new Jobs; $self->owner = $self; $self->insert($self, 1); $self->insert('other', 2);
VolatileCache::set('self', $self); $got = VolatileCache::get('self');
var_dump($got->owner === $got, count($got), $got->top() === $got);
/* If compare() throws while a heap is fetched, the entry stays. */
Tasks::$throws = true;
try { VolatileCache::get('t'); } catch (Exception $e) { echo ($e->getPrevious() ?? $e)->getMessage(), "\n"; } // since PHP 8.5, hooks of SplHeap wrap the exception in another one
Tasks::$throws = false;
var_dump(count(VolatileCache::get('t')));
/* A heap of a subclass with hooks is restored by its hooks. */
VolatileCache::set('w', filled(new Wakes, [1])); var_dump(count(VolatileCache::get('w')) === count(unserialize(serialize(filled(new Wakes, [1])))));

/* With compact storing, heaps and values with heaps are stored in the usual format. */
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d extension_dir=' . escapeshellarg(ini_get('extension_dir')) . ' -d extension=' . escapeshellarg($so) . ' -d larder.compat=apcu,immutable_cache';
$code = '$h = new SplMinHeap; $h->insert(2); $h->insert(1); $q = new SplPriorityQueue; $q->insert("a", 1);
    foreach ([$h, $q, ["x" => [$h]], new ArrayObject([1]), (object) ["in" => [$q]]] as $i => $v) { apcu_store("k", $v); immutable_cache_add("k$i", $v); echo (int) (apcu_fetch("k") == $v && immutable_cache_fetch("k$i") == $v); } echo "\n";';
foreach (['php' => '', ...(is_file(ini_get('extension_dir') . '/igbinary.so') ? ['igbinary' => '-d extension=igbinary'] : ['default' => ''])] as $mode => $more) echo shell_exec("$php $more -d apc.serializer=$mode -d immutable_cache.serializer=$mode -r " . escapeshellarg($code) . ' 2>&1');
--EXPECT--
all of 16
3 {"data":"b","priority":2} {"x":1}
down ["made"] compared 2 times, then [3,2,1]
bool(true)
int(2)
bool(true)
compare
int(3)
bool(true)
11111
11111
