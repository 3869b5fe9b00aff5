--TEST--
larder: compat_apcu: a hook that changes the key it is fetched by does no harm
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

final class Changes
{
    public function __serialize(): array { return []; }
    public function __unserialize(array $data): void { global $key, $keys; $key = str_repeat('other', 5); $keys = null; gc_collect_cycles(); str_repeat('fill', 2); }
}
$name = fn(int $n): string => 'key' . str_repeat((string) $n, 8);
for ($n = 0; $n < 5; $n++) {
    apcu_store([$name($n) => new Changes, 'after' => 1]);
    $key = $name($n); /* not interned; only this variable refers to it */
    $keys = [&$key, 'after'];
    show(array_keys(apcu_fetch($keys)), $key);
    $key = $name($n);
    show(get_class(apcu_fetch($key)), apcu_entry($key = $name($n), fn() => 1) instanceof Changes, apcu_exists($name($n)));
}
--EXPECT--
["key00000000","after"] "otherotherotherotherother" 
"Changes" true true 
["key11111111","after"] "otherotherotherotherother" 
"Changes" true true 
["key22222222","after"] "otherotherotherotherother" 
"Changes" true true 
["key33333333","after"] "otherotherotherotherother" 
"Changes" true true 
["key44444444","after"] "otherotherotherotherother" 
"Changes" true true 
