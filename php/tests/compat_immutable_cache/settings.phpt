--TEST--
larder: immutable_cache: sizes and switches
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
function php($settings, $code) { global $so; $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY; exec("$php -n -d html_errors=0 -d extension=$so -d larder.compat=immutable_cache $settings -r " . escapeshellarg($code) . ' 2>&1', $out); return implode("\n", $out) . "\n"; }

$size = 'var_dump(immutable_cache_enabled(), @immutable_cache_sma_info(true)["seg_size"] ?? null);';
foreach (['', '-d immutable_cache.shm_size=4M', '-d immutable_cache.shm_size=5', '-d larder.immutable_size=2M -d immutable_cache.shm_size=4M', '-d immutable_cache.shm_size=64K', '-d immutable_cache.shm_size=nonsense', '-d immutable_cache.shm_size=0',
    '-d immutable_cache.enabled=0', '-d immutable_cache.enabled=Off', '-d immutable_cache.enable_cli=1', '-d immutable_cache.enable_cli=0', '-d immutable_cache.enable_cli=Off', '-d larder.enable_cli=0 -d immutable_cache.enable_cli=1', '-d larder.enable=0'] as $settings)
    echo "[$settings] ", preg_replace('/\n+/', ' ', php($settings, $size)), "\n";
echo "not asked for: ", php('-d larder.compat=', 'var_dump(function_exists("immutable_cache_add"), extension_loaded("immutable_cache"), ini_get("immutable_cache.enabled"));');
--EXPECTF--
[] bool(true) int(268435456) 
[-d immutable_cache.shm_size=4M] bool(true) int(4194304) 
[-d immutable_cache.shm_size=5] bool(true) int(5242880) 
[-d larder.immutable_size=2M -d immutable_cache.shm_size=4M] bool(true) int(2097152) 
[-d immutable_cache.shm_size=64K] %AWarning: immutable_cache.shm_size = "64K": must be a size from 1M to 1T; immutable_cache is off in Unknown on line 0 bool(false) NULL 
[-d immutable_cache.shm_size=nonsense] %AWarning: immutable_cache.shm_size = "nonsense": must be a size from 1M to 1T; immutable_cache is off in Unknown on line 0 bool(false) NULL 
[-d immutable_cache.shm_size=0] %AWarning: immutable_cache.shm_size = "0": must be a size from 1M to 1T; immutable_cache is off in Unknown on line 0 bool(false) NULL 
[-d immutable_cache.enabled=0] bool(false) NULL 
[-d immutable_cache.enabled=Off] bool(false) NULL 
[-d immutable_cache.enable_cli=1] bool(true) int(268435456) 
[-d immutable_cache.enable_cli=0] bool(false) NULL 
[-d immutable_cache.enable_cli=Off] bool(false) NULL 
[-d larder.enable_cli=0 -d immutable_cache.enable_cli=1] bool(false) NULL 
[-d larder.enable=0] bool(false) NULL 
not asked for: bool(false)
bool(false)
bool(false)
