--TEST--
larder: pool: keyInfo() says of an entry what VolatileCache's says, and nothing of a lease
--EXTENSIONS--
larder
--FILE--
<?php
$p = Larder\VolatileCache::pool('p');
var_dump($p->keyInfo('list'));
$p->set('list', ['x'], 1000);
$p->set('n', 5);
$info = $p->keyInfo('list');
var_dump($info->key, $info->ttl > 900 && $info->ttl <= 1000, $info->store_type, $info->size > 0);
var_dump($p->keyInfo('n')->ttl, Larder\VolatileCache::keyInfo('n'), Larder\VolatileCache::pool('q')->keyInfo('n'));
$p->lease('leased');
var_dump($p->keyInfo('leased'));
$p->clear();
var_dump($p->keyInfo('n'));
try {
    $p->keyInfo('');
} catch (ValueError $error) {
    echo $error->getMessage(), "\n";
}
--EXPECTF--
NULL
string(4) "list"
bool(true)
enum(Larder\CacheStoreType::SharedGraph)
bool(true)
NULL
NULL
NULL
NULL
NULL
Larder\Pool::keyInfo(): Argument #1 ($key) must be between 1 and %d bytes long, 0 given
