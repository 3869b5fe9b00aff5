--TEST--
larder: compat_apcu: iterators load in a PHP with the system's PCRE and in one with its own
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!shell_exec('command -v nm')) die('skip needs nm');
?>
--FILE--
<?php
preg_match('~/\S*/larder\.so~', file_get_contents('/proc/self/maps'), $module) || die("the module is not mapped\n");
/* nm prints U for a function that must exist, and w for one that may be missing. */
preg_match_all('/^\s+(\w) (\w*pcre2_match\w*)/m', shell_exec('nm -D ' . escapeshellarg($module[0])), $needed, PREG_SET_ORDER);
foreach ($needed as [, $kind, $name])
    echo $name, ' ', $kind, "\n";
?>
--EXPECT--
pcre2_match_8 w
php_pcre2_match w
