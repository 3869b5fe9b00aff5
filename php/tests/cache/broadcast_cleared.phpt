--TEST--
larder: broadcast: no version comes back after a clear, so a worker that compares versions misses no value
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Broadcast;
use Larder\PinnedCache;

$flags = Broadcast::open('flags');
$seen = [0];
foreach (['a', 'b', 'c', 'd'] as $text) {
    foreach ([1, 2, 3] as $n) {
        $before = $flags->version;
        var_dump($flags->publish("$text$n") && $flags->wait($before, 60) && $flags->value === "$text$n");
        $seen[] = $flags->version;
    }
    // A worker knows the version $known. Then an administrator clears the store, and the next round of the loop publishes again.
    $known = $flags->version;
    PinnedCache::clear();
    var_dump($flags->version, $flags->value, $flags->wait($known, 0));
}
var_dump(count($seen) === count(array_unique($seen)));
$sorted = $seen;
sort($sorted);
var_dump($sorted === $seen);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
int(0)
NULL
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
NULL
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
NULL
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
NULL
bool(true)
bool(true)
bool(true)
