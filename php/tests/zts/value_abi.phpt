--TEST--
larder: zts: a named store says which build of PHP its values are for; what another build left is not read
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$dir = sys_get_temp_dir() . '/larder-test-' . getmypid(); mkdir($dir, 0700);
$run = fn ($code) => exec("$php -n -d extension=$so -d larder.path=$dir -d larder.volatile_size=2M -r " . escapeshellarg("var_dump(Larder\\VolatileCache::$code);") . ' 2>&1');
echo $run('set("k", [1, str_repeat("s", 200)])'), "\n";
echo $run('get("k")[0]'), "\n";

[$file] = glob("$dir/larder-*/*-volatile");
$abi = preg_match('/php\d{8},[\w,]+/', file_get_contents($file, length: 4096), $m, PREG_OFFSET_CAPTURE) ? $m[0] : ['none', 0];
$wanted = (PHP_ZTS ? ',TS' : ',NTS') . (PHP_DEBUG ? ',debug' : '');
echo preg_match("/^php\d{8}$wanted,\d+,codec\d+/", $abi[0]) ? 'as it should be' : $abi[0], "\n";

// change the part of the value ABI that says whether PHP is thread-safe
$f = fopen($file, 'r+'); fseek($f, $abi[1]); fwrite($f, strtr($abi[0], PHP_ZTS ? [',TS' => ',XS'] : [',NTS' => ',XTS'])); fclose($f);
echo $run('get("k")'), "\n";
echo $run('set("k", 2)'), "\n";
echo $run('get("k")'), "\n";
exec('rm -rf ' . escapeshellarg($dir));
--EXPECT--
bool(true)
int(1)
as it should be
NULL
bool(true)
int(2)
