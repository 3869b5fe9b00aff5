--TEST--
larder: info: phpinfo has a section that a person can read
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', 1);
VolatileCache::get('k');
ob_start(); phpinfo(INFO_MODULES); $text = ob_get_clean();
preg_match('/Larder => .*larder\.volatile_size[^\n]*/s', $text, $m);
echo $m[0], "\n";
--EXPECTF--
Larder => 0.1.0
Resident graphs of this worker => 0 in 0.0 MiB of private memory, of at most 32.0 MiB
Cache behind file_get_contents() => off

Larder\VolatileCache => on
Store => anonymous, shared by the processes of this server
Memory => %f MiB used by values, %f MiB claimed, of 64.0 MiB
Entries => 1 of at most %d
Largest value => 32.0 MiB
Reads => 1 hit, 0 misses (100.0 % hits), 0 answered with a copy
Writes => 1 new, 0 replaced, 0 deleted, 0 refused
Left => 0 evicted, 0 expired
Deaths survived => 0, of these 0 inside a write
Processes and threads attached => 1 of at most 4096

Larder\PinnedCache => on
%A
larder.volatile_size => 64M => 64M
