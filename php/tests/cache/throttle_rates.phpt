--TEST--
larder: throttle: each call has its own rate, whatever the call before had
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

function remaining(mixed ...$arguments): int|string
{
    try {
        return VolatileCache::throttle(...$arguments)->remaining;
    } catch (ValueError $e) {
        return preg_replace('/.*(#\d).*/', '$1', $e->getMessage());
    }
}

$calls = [
    [10, 3600], [10, 3600], [20, 3600], [10, 7200], [10, 3600.0], [10, 3600, 3], [10, 3600, 3, 5], [10, 3600, 1, 0, true],
    [10, 0], [0, 0], [0, 3600], [-1, 3600], [10, -1], [10, 3600, 11], [10, 3600, -1], [10, 3600, 1, -1], [10, 3600, 1, 1, true], [10, 0.5, 1, 0, true],
];
foreach ($calls as $n => $call) {
    $key = $n < 2 ? 'same' : "key$n";
    $answers = [remaining($key, ...$call)];
    foreach ($calls as $m => $other) {
        remaining("other$m", ...$other);
        $answers[] = remaining("$key-$m", ...$call); // an equal call for a new key must get the same answer
    }
    echo json_encode($call), ' ', implode(' ', array_unique($answers)), "\n";
}
echo remaining('same', 10, 3600), "\n";
var_dump(PinnedCache::throttle('same', 10, 3600)->remaining);
?>
--EXPECT--
[10,3600] 9
[10,3600] 8
[20,3600] 19
[10,7200] 9
[10,3600] 9
[10,3600,3] 7
[10,3600,3,5] 7
[10,3600,1,0,true] 9
[10,0] #3
[0,0] #3
[0,3600] #2
[-1,3600] #2
[10,-1] #3
[10,3600,11] #4
[10,3600,-1] #4
[10,3600,1,-1] #5
[10,3600,1,1,true] #5
[10,0.5,1,0,true] #3
7
int(9)
