--TEST--
larder: object: a request's knowledge of its own collections' classes ends with the request
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

/* Each request declares classes with the same names, at the same addresses. In every second request, they override methods of PHP. */
$ask = server(<<<'CODE'
eval($n % 2 ? 'class Box extends ArrayObject { public function offsetGet($k): mixed { return "own"; } } class Rows extends SplFixedArray { public function count(): int { return 99; } } class Jobs extends SplQueue { public function count(): int { return 99; } }'
    : 'class Box extends ArrayObject { public function others($k): mixed { return "own"; } } class Rows extends SplFixedArray { public function number(): int { return 99; } } class Jobs extends SplQueue { public function number(): int { return 99; } }');
if ($n === 0) { $q = new Jobs; $q[] = 1; VolatileCache::set('k', [new Box(['k' => 'theirs']), new Rows(2), $q]); }
[$box, $rows, $jobs] = VolatileCache::get('k');
echo $box['k'], ' ', count($rows), ' ', count($jobs);
CODE);
for ($n = 0; $n < 6; $n++) echo $ask($n), "\n";
--EXPECT--
theirs 2 1
own 99 99
theirs 2 1
own 99 99
theirs 2 1
own 99 99
