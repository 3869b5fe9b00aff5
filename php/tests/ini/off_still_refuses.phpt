--TEST--
larder: ini: what can never be stored is refused even when the store is off
--EXTENSIONS--
larder
--INI--
larder.enable=0
--FILE--
<?php
use Larder\VolatileCache;
try { VolatileCache::set('k', [fn() => 1]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
try { VolatileCache::get(''); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value[0]
Larder\VolatileCache::get(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
