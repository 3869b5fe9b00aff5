--TEST--
larder: queue: any value is a body; large ones are shared and outlive their message
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

enum Suit: string { case Hearts = 'h'; case Spades = 's'; }
class Node { public ?Node $next = null; public function __construct(public mixed $value) {} }
class Hooked
{
    public function __construct(public int $n) {}
    public function __serialize(): array
    {
        Queue::open('inner')->push("from __serialize {$this->n}"); // pushes another message while this object is being pushed
        return ['n' => $this->n];
    }
    public function __unserialize(array $data): void { $this->n = $data['n'] * 10; }
}

$q = Queue::open('work');
$ring = new Node('ring');
$ring->next = $ring;
$large = ['list' => range(1, 5000), 'text' => str_repeat('t', 100000)];
$bodies = [null, true, false, 0, -7, PHP_INT_MAX, 1.5, '', 'short', str_repeat('s', 3000), str_repeat('l', 300000), [], [1, [2, ['x' => 3]]], $large, new Node(['a', Suit::Spades]), Suit::Hearts, new DateTimeImmutable('2024-02-29 12:00:00', new DateTimeZone('Europe/Paris')), new ArrayObject([1, 2]), new SplObjectStorage(), (object) ['p' => 1]];
foreach ($bodies as $i => $body) {
    $q->push($body) !== null || print("$i refused\n");
}
foreach ($bodies as $i => $body) {
    $m = $q->pop();
    $m->ack();
    if ($m->body != $body || gettype($m->body) !== gettype($body)) {
        echo "$i differs\n";
    }
}
$q->push($ring);
$body = $q->pop()->body;
var_dump($q->clear(), $body !== $ring && $body->next === $body);
$q->push(new Hooked(4));
echo $q->pop()->body->n, ' ', ($m = Queue::open('inner')->pop())->body, "\n";
$m->ack();

echo "-- what was taken stays, whatever comes after\n";
$q->clear();
$taken = [];
for ($i = 0; $i < 3; $i++) {
    $q->push(['n' => $i, 'text' => str_repeat("$i", 200000)]);
    $m = $q->pop();
    $taken[] = $m->body;
    $m->ack();
}
for ($i = 0; $i < 200; $i++) { // all bodies together are several times as large as the store
    $q->push(str_repeat('x', 200000));
    $q->pop()?->ack();
}
foreach ($taken as $i => $body) {
    var_dump($body['n'] === $i && $body['text'] === str_repeat("$i", 200000));
}
$body = $taken[1];
$body['n'] = 'changed';
var_dump($taken[1]['n'], Queue::open('inner')->info()->ready);
--EXPECT--
int(1)
bool(true)
40 from __serialize 4
-- what was taken stays, whatever comes after
bool(true)
bool(true)
bool(true)
int(1)
int(0)
