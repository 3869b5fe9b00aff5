--TEST--
larder: ini: bad values at start-up are named with directive, value and limit
--EXTENSIONS--
larder
--FILE--
<?php
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$module = array_values(array_filter(array_map(fn($l) => explode(' ', $l)[5] ?? '', []), 'strlen'));
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
foreach (['volatile_size=lots', 'volatile_size=12Q', 'volatile_size=1023K', 'pinned_size=2T', 'pinned_size=-1', 'volatile_size=99999999999999999999', 'entries_hint=-5', 'entries_hint=5G', 'scope=../x', 'path=relative', 'form=small', 'compat=apcu,apc'] as $bad) {
    exec("$php -n -d extension=$so -d " . escapeshellarg("larder.$bad") . " -r 'var_dump(Larder\\VolatileCache::set(\"k\", 1));' 2>&1", $out);
    echo implode("\n", array_filter($out)), "\n"; $out = [];
}
--EXPECT--
Warning: larder.volatile_size = "lots": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
bool(false)
Warning: larder.volatile_size = "12Q": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
bool(false)
Warning: larder.volatile_size = "1023K": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
bool(false)
Warning: larder.pinned_size = "2T": must be 0 or a size from 1M to 1T; the pinned store is off in Unknown on line 0
bool(true)
Warning: larder.pinned_size = "-1": must be 0 or a size from 1M to 1T; the pinned store is off in Unknown on line 0
bool(true)
Warning: larder.volatile_size = "99999999999999999999": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
bool(false)
Warning: larder.entries_hint = "-5": must be a number from 0 to 4294967295; stores begin small and grow in Unknown on line 0
bool(true)
Warning: larder.entries_hint = "5G": must be a number from 0 to 4294967295; stores begin small and grow in Unknown on line 0
bool(true)
Warning: larder.scope = "../x": must be at most 64 letters, digits, '_', '-' and '.', no '.' first; Larder is off in Unknown on line 0
bool(false)
Warning: larder.path = "relative": must be an absolute path; Larder is off in Unknown on line 0
bool(false)
Warning: larder.form = "small": must be auto, ready or packed; it is auto in Unknown on line 0
bool(true)
Warning: larder.compat: "apc" is none of apcu, immutable_cache, memsession, opcache, user_cache; that layer is off in Unknown on line 0
bool(true)
