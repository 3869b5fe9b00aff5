--TEST--
larder: immutable_cache: the functions' answers when it is off
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
immutable_cache.enable_cli=0
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
var_dump(immutable_cache_enabled(), immutable_cache_cache_info(), immutable_cache_sma_info());
var_dump(immutable_cache_add('key', 'value'), immutable_cache_exists('key'), immutable_cache_fetch('key', $success), $success, immutable_cache_key_info('key'));
echo json_encode([immutable_cache_add(['key' => 'value']), immutable_cache_exists(['key']), immutable_cache_fetch(['key'])]), "\n";
try {
    new ImmutableCacheIterator;
} catch (Error $e) {
    echo $e->getMessage(), "\n";
}
var_dump(Larder\VolatileCache::set('others', 'are on'));
--EXPECTF--
Warning: immutable_cache_cache_info(): No immutable_cache info available.  Perhaps immutable_cache is not enabled? Check immutable_cache.enabled in your ini file in %s on line %d

Warning: immutable_cache_sma_info(): No immutable_cache SMA info available.  Perhaps immutable_cache is disabled via immutable_cache.enabled? in %s on line %d
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
NULL
[{"key":-1},[],[]]
ImmutableCache must be enabled to use ImmutableCacheIterator
bool(true)
