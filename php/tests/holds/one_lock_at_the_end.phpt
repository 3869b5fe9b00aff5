--TEST--
larder: holds: the log of a request that ends with one forgotten lock speaks of one key
--INI--
log_errors=1
error_log=
--FILE--
<?php
Larder\VolatileCache::lock('one');
var_dump(Larder\endRequest());
?>
--EXPECTF--
%ALarder: a worker's request has ended with 1 key locked, which is unlocked now. This is logged once per thread
int(1)
