--TEST--
larder: string: a string's known validity survives storing and fetching
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$s = str_repeat('Grüße ', 100);
preg_match('/ß/u', $s); // PHP now marks the string as valid UTF-8
VolatileCache::set('k', $s);
$g = VolatileCache::get('k');
var_dump(preg_match('/ß/u', $g), preg_match_all('/./u', $g));
$bad = str_repeat("\xff", 500);
VolatileCache::set('k', $bad);
var_dump(@preg_match('/./u', VolatileCache::get('k')), preg_last_error_msg());
--EXPECT--
int(1)
int(600)
bool(false)
string(56) "Malformed UTF-8 characters, possibly incorrectly encoded"
