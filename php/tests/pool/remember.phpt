--TEST--
larder: pool: remember() computes once and keeps what it computed in the pool
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$p = VolatileCache::pool('p');
var_dump($p->remember('k', fn() => 'computed'), $p->remember('k', fn() => 'again'), $p->get('k'), VolatileCache::get('k'));
try { $p->remember('fails', fn() => throw new Exception('no')); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
var_dump($p->has('fails'), $p->lock('fails'), $p->unlock('fails'));
try { $p->remember('self', fn() => $p->remember('self', fn() => 1)); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
var_dump($p->remember('outer', fn() => VolatileCache::pool('q')->remember('outer', fn() => 'q')));
var_dump($p->remember('cleared', function () use ($p) { $p->clear(); return 'kept for the caller'; }), $p->has('cleared'));
$p->lock('mine');
var_dump($p->remember('mine', fn() => 'under my lock'), $p->unlock('mine'), $p->get('mine'));
$p->remember('short', fn() => 1, 0.05);
usleep(150000);
var_dump($p->has('short'));
--EXPECT--
string(8) "computed"
string(8) "computed"
string(8) "computed"
NULL
no
bool(false)
bool(true)
bool(true)
remember() of key "self" was called by its own $compute
string(1) "q"
string(19) "kept for the caller"
bool(false)
string(13) "under my lock"
bool(true)
string(13) "under my lock"
bool(false)
