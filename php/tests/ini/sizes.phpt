--TEST--
larder: ini: sizes with suffixes
--EXTENSIONS--
larder
--INI--
larder.volatile_size=4096K
larder.pinned_size=1048576
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;
var_dump(VolatileCache::info()->configured_memory, PinnedCache::info()->configured_memory);
--EXPECT--
int(4194304)
int(1048576)
