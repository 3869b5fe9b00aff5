--TEST--
larder: compat_apcu: where the real APCu is loaded Larder leaves it alone
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!is_file(ini_get('extension_dir') . '/apcu.so')) die('skip needs the real apcu');
?>
--FILE--
<?php
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
foreach ([['apcu', $m[1]], [$m[1], 'apcu']] as $order) {
    $command = [PHP_BINARY, '-n', '-d', 'extension_dir=' . ini_get('extension_dir'), '-d', "extension=$order[0]", '-d', "extension=$order[1]", '-d', 'larder.compat=apcu', '-d', 'apc.enable_cli=1', '-d', 'html_errors=0', '-d', 'log_errors=0', '-d', 'display_startup_errors=1', '-r', 'ob_start(); (new ReflectionExtension("apcu"))->info(); var_dump(apcu_store("k", 1), apcu_fetch("k"), str_contains(ob_get_clean(), "Larder"));'];
    echo trim((string) shell_exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1')), "\n";
}
--EXPECT--
Warning: larder.compat: apcu is loaded, so Larder does not stand in for it; switch it off (Debian: phpdismod apcu) in Unknown on line 0
bool(true)
int(1)
bool(false)
Warning: larder.compat: apcu is loaded, so Larder does not stand in for it; switch it off (Debian: phpdismod apcu) in Unknown on line 0
bool(true)
int(1)
bool(false)
