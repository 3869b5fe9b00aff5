--TEST--
larder: ops: the dashboard's search: patterns of many stars, odd bytes, and pages up to the last one that it gives
--EXTENSIONS--
larder
--FILE--
<?php
ob_start(); /* The page sends headers, so nothing may be printed before. */
foreach (glob(dirname(__DIR__, 3) . '/ops/src/*.php') as $file) {
    require_once $file;
}
use Larder\VolatileCache;

putenv('LARDER_DASHBOARD=read');
$lines = '';
$entries = function (string $prefix, int $offset = 0, string $order = 'key'): array {
    $_GET = ['api' => 'entries', 'order' => $order, 'limit' => '50', 'offset' => (string) $offset, 'prefix' => $prefix];
    ob_start();
    Larder\Ops\Dashboard::serve(['REQUEST_METHOD' => 'GET']);
    return json_decode(ob_get_clean(), true);
};

/* A key that begins with "a" 3,000 times, then "b". */
VolatileCache::set(str_repeat('a', 3000) . 'b', 1);
VolatileCache::set("a*.b\\<\"\n\xff", 1);
foreach ([str_repeat('*a', 2000), 'a*a*a*a*a*a*b', 'a*a*a*a*a*a*ba', 'a**', '*?b', 'a?.', 'a?.*\x0a', 'a?.b\\\\<"*\xff', 'a[*', '*' . str_repeat('a', 3001)] as $pattern) {
    $found = array_map(fn (array $entry) => substr($entry['key'], 0, 12), $entries($pattern)['entries']);
    $lines .= substr($pattern, 0, 20) . ': ' . implode(' ', $found) . "\n";
}

for ($i = 0; $i < 5200; $i++) {
    VolatileCache::set("n$i", 1);
}
$seen = [];
for ($offset = 0; $offset < 6000; $offset += 50) {
    $page = $entries('n', $offset);
    array_push($seen, ...array_column($page['entries'], 'key'));
    if (!$page['more']) {
        break;
    }
}
$lines .= $offset . ' ' . count($seen) . ' ' . count(array_unique($seen)) . ' ' . json_encode($page['cut']) . "\n";
$lines .= json_encode(array_slice($entries('n519'), 1)) . "\n";
ob_end_clean();
echo $lines;
?>
--EXPECT--
*a*a*a*a*a*a*a*a*a*a: aaaaaaaaaaaa
a*a*a*a*a*a*b: aaaaaaaaaaaa
a*a*a*a*a*a*ba: 
a**: a*.b\\<"\x0a aaaaaaaaaaaa
*?b: a*.b\\<"\x0a aaaaaaaaaaaa
a?.: a*.b\\<"\x0a
a?.*\x0a: a*.b\\<"\x0a
a?.b\\<"*\xff: a*.b\\<"\x0a
a[*: 
*aaaaaaaaaaaaaaaaaaa: 
5000 5050 5050 true
{"more":false,"cut":false,"searched":0}
