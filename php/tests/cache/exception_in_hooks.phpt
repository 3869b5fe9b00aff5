--TEST--
larder: cache: an exception in __serialize or __unserialize passes, and the old value stays
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class T { public static $throw = true; function __serialize(): array { if (self::$throw) throw new RuntimeException('no'); return []; }
    function __unserialize(array $d): void { throw new LogicException('unwilling'); } }
VolatileCache::set('k', 'old');
try { VolatileCache::set('k', [new T]); } catch (RuntimeException $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::get('k'));
T::$throw = false;
VolatileCache::set('k', [new T]);
try { VolatileCache::get('k', 'default'); } catch (LogicException $e) { echo $e->getMessage(), "\n"; }
try { VolatileCache::getMultiple(['k']); } catch (LogicException $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
no
string(3) "old"
unwilling
unwilling
