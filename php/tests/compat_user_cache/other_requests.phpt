--TEST--
larder: compat user_cache: what one process stores or clears the others see; the list of pools is its own
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use UserCache\Cache;

$c = Cache::getPool('p');
if (pcntl_fork() === 0) {
    Cache::getPool('p')->store('k', ['from' => 'child']);
    Cache::getPool('q')->store('k', 'q');
    exit;
}
pcntl_wait($status);
var_dump($c->fetch('k'), Cache::hasPool('q'), Cache::getPool('q')->fetch('k'));
if (pcntl_fork() === 0) {
    Cache::getPool('p')->clear();
    Cache::deletePool('q');
    exit;
}
pcntl_wait($status);
var_dump($c->has('k'), Cache::hasPool('q'), Cache::getPool('q')->has('k'));
--EXPECT--
array(1) {
  ["from"]=>
  string(5) "child"
}
bool(false)
string(1) "q"
bool(false)
bool(true)
bool(false)
