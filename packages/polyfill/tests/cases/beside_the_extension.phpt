--TEST--
polyfill: it defines nothing where the extension is loaded
--FILE--
<?php
$project = getenv('LARDER_PROJECT');
$module = "$project/php/modules/larder.so";
$code = 'require $argv[1]; var_dump((new ReflectionClass("Larder\VolatileCache"))->isInternal(), class_exists("Larder\Polyfill\Store"), (new ReflectionFunction("Larder\scope"))->isInternal());';
passthru(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', ...(is_file($module) ? ['-d', "extension=$module"] : []), '-r', $code, "$project/packages/polyfill/autoload.php"])));
--SKIPIF--
<?php if (!is_file(getenv('LARDER_PROJECT') . '/php/modules/larder.so')) die('skip the extension is not built'); ?>
--EXPECT--
bool(true)
bool(false)
bool(true)
