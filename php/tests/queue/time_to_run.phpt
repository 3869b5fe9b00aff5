--TEST--
larder: queue: an object whose time to run is over leaves a later reservation of the same process alone
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
/* Pops a message, lets its time to run end, and pops it again. */
function twice(Queue $q, float $first, float $touch): array
{
    $q->push('x');
    $old = $q->pop(0, $first);
    if ($touch > 0) {
        $old->touch($touch);
    }
    return [$old, $q->pop(60)];
}

foreach (['ack', 'release', 'bury', 'touch'] as $method) {
    [$old, $new] = twice($q, 0.001, 0);
    var_dump($old->id === $new->id, $new->attempts, $old->$method(), $old->isReserved(), $new->ack());
}
echo "-- touched\n";
[$old, $new] = twice($q, 0, 0.001);
var_dump($old->ack(), $new->ack());
echo "-- dropped\n";
[$old, $new] = twice($q, 0.001, 0);
unset($old);
var_dump($q->info()->ready, $new->ack());
echo "-- in time\n";
$q->push('y');
var_dump($q->pop(0, 3600)->ack(), $q->info()->reserved);
?>
--EXPECT--
bool(true)
int(2)
bool(false)
bool(false)
bool(true)
bool(true)
int(2)
bool(false)
bool(false)
bool(true)
bool(true)
int(2)
bool(false)
bool(false)
bool(true)
bool(true)
int(2)
bool(false)
bool(false)
bool(true)
-- touched
bool(false)
bool(true)
-- dropped
int(0)
bool(true)
-- in time
bool(true)
int(0)
