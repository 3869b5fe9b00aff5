--TEST--
larder: queue: states, order, ids, attempts, what info() says
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
function show(?Larder\Message $m): void
{
    echo $m === null ? "nothing\n" : json_encode([$m->body, $m->attempts, $m->priority, $m->state]) . "\n";
}

echo "-- priority, then age\n";
$ids = $q->pushMany(['x' => 'a', 'y' => 'b']);
$urgent = $q->push('urgent', priority: 3);
$q->push('later', 3600);
var_dump(array_keys($ids), count(array_unique([...$ids, $urgent])), $q->name(), Queue::names());
show($q->peek());
show($q->peek($ids['y']));
$m = $q->pop();
show($m);
var_dump($m->id === $urgent, $m->isReserved(), $m->ack(), $m->ack(), $m->isReserved(), $q->peek($urgent));

echo "-- release, bury, kick\n";
$a = $q->pop();
$b = $q->pop();
show($b);
var_dump($b->release(), $b->ack(), $a->release());
show($m = $q->pop());
var_dump($m->bury(), $m->bury(), $q->pop()->ack(), $q->pop());
var_dump($q->kick(5), $q->kick());
show($m = $q->pop());
var_dump($m->touch(60), $m->release(3600));

echo "-- many\n";
var_dump(count($q->pushMany(range(1, 5))));
foreach ($q->popMany(3) as $m) {
    show($m);
    $m->ack();
}
var_dump(count($q->list()), count($q->list(2)), $q->delete($ids['x']), $q->delete($ids['x']), $q->delete('nonsense'), $q->delete(''));
var_dump(count($q->popMany(10))); /* no variable keeps the messages, so they are ready again */
unset($m);
$info = $q->info();
var_dump($q->clear(), $q->info()->ready);
foreach ($info as $name => $value) {
    echo match ($name) {
        'bytes' => 'bytes ' . ($value > 0 ? 'some' : 0),
        'oldest' => 'oldest ' . ($value >= 0 && $value < 3600 ? 'some' : $value),
        default => "$name $value",
    }, "\n";
}
--EXPECT--
-- priority, then age
array(2) {
  [0]=>
  string(1) "x"
  [1]=>
  string(1) "y"
}
int(3)
string(4) "work"
array(1) {
  [0]=>
  string(4) "work"
}
["urgent",0,3,"ready"]
["b",0,0,"ready"]
["urgent",1,3,"reserved"]
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
NULL
-- release, bury, kick
["b",1,0,"reserved"]
bool(true)
bool(false)
bool(true)
["a",2,0,"reserved"]
bool(true)
bool(false)
bool(true)
NULL
int(1)
int(0)
["a",3,0,"reserved"]
bool(true)
bool(true)
-- many
int(5)
[1,1,0,"reserved"]
[2,1,0,"reserved"]
[3,1,0,"reserved"]
int(4)
int(2)
bool(true)
bool(false)
bool(false)
bool(false)
int(2)
int(3)
int(0)
ready 2
reserved 0
delayed 1
buried 0
bytes some
capacity 0
pushed 9
acked 5
deleted 1
redelivered 3
returned 0
expired 0
refused 0
wakeups 0
oldest some
