--TEST--
larder: pool: fill(): the time to live counts from lease(), so that a copy does not outlive its source, however long its process was stopped
--EXTENSIONS--
larder
--FILE--
<?php
$pool = Larder\VolatileCache::pool('leased');
$pool->begin(60);

$lease = $pool->lease('over');
usleep(300000);
var_dump($pool->fill('over', 'old', $lease, 0.2), $pool->get('over'));
var_dump($pool->fill('over', 'without an end', $lease), $pool->get('over'));

$lease = $pool->lease('shorter');
usleep(300000);
var_dump($pool->fill('shorter', 'value', $lease, 60), $pool->keyInfo('shorter')->ttl <= 59.7);

class Slow
{
    public function __serialize(): array
    {
        usleep(300000);
        return [1];
    }
    public function __unserialize(array $data): void {}
}
var_dump($pool->fill('hook', new Slow, $pool->lease('hook'), 0.2), $pool->get('hook'));
?>
--EXPECT--
bool(false)
NULL
bool(true)
string(14) "without an end"
bool(true)
bool(true)
bool(false)
NULL
