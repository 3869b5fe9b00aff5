--TEST--
larder: object: an unused cycle is collected
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Node { public ?Node $self = null; public string $text = ''; static int $gone = 0; function __destruct() { self::$gone++; } }
$node = new Node;
$node->self = $node;
VolatileCache::set('k', $node);
$node->self = null;
unset($node);
Node::$gone = 0;
for ($i = 0; $i < 100; $i++) {
    if (VolatileCache::get('k') === 5) echo "never\n";
}
gc_collect_cycles();
var_dump(Node::$gone);
--EXPECT--
int(100)
