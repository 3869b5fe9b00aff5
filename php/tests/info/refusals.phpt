--TEST--
larder: info: refusals are counted by cause, and each cause is logged once
--EXTENSIONS--
larder
--INI--
larder.enable_cli=1
larder.pinned_size=1M
larder.volatile_size=1M
log_errors=1
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

$log = __DIR__ . '/refusals.log';
ini_set('error_log', $log);
var_dump(PinnedCache::info()->refusal_causes);
for ($i = 0; PinnedCache::set("key $i", str_repeat('v', 3000)); $i++);
for ($j = 0; $j < 9; $j++) {
    PinnedCache::set("more $j", str_repeat('v', 3000));
}
for ($j = 0; $j < $i; $j += 2) { // frees every second entry, so the free memory is in pieces
    PinnedCache::delete("key $j");
}
var_dump(PinnedCache::set('large', str_repeat('v', 400000)), @VolatileCache::set('larger', str_repeat('v', 600000)));
$causes = PinnedCache::info()->refusal_causes;
var_dump($causes['full'] >= 1 && $causes['scattered'] >= 1 && count($causes) === 2, array_sum($causes) === PinnedCache::info()->refusals);
var_dump(VolatileCache::info()->refusal_causes);
ob_start();
phpinfo(INFO_MODULES);
var_dump(preg_match('/^Refused => \d+: it is full/m', ob_get_clean()));
echo preg_replace(['/^\[.*?\] /m', '/ \([^()]*\)\. /'], ['', ' (...). '], file_get_contents($log));
?>
--CLEAN--
<?php @unlink(__DIR__ . '/refusals.log');
?>
--EXPECT--
array(0) {
}
bool(false)
bool(false)
bool(true)
bool(true)
array(1) {
  ["size"]=>
  int(1)
}
int(1)
Larder: the pinned store refuses values: it is full of values that it may not remove: raise its size (...). Said once; info() counts
Larder: the pinned store refuses values: it has room, but not in one piece: raise its size, or store large values first (...). Said once; info() counts
