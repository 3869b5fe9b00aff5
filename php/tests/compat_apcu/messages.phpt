--TEST--
larder: compat_apcu: messages and exceptions are those of the real APCu
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!is_file(ini_get('extension_dir') . '/apcu.so')) die('skip needs the real apcu to compare with');
?>
--FILE--
<?php
/* In APCu, some of these calls are fatal errors. In Larder, they throw an Error. So each call runs in a process of its own. */
$calls = [
    'apcu_store("a", STDIN)', 'apcu_add("a", STDIN)', 'apcu_store(["a" => STDIN, "b" => 1])', 'apcu_store(1, 1)', 'apcu_store(null, 1)', 'apcu_add(1.5)', 'apcu_store("k", fn() => 1)',
    'apcu_store(["k" => fn() => 1, "l" => 1])', '[@apcu_store("k", [STDIN]), apcu_fetch("k")]', 'apcu_delete(1)', 'apcu_delete(null)', 'apcu_delete([1, "a", null])', 'apcu_delete(new stdClass)',
    'apcu_fetch(new stdClass)', 'apcu_fetch([1, "a"])', 'apcu_exists([1, "a"])', 'apcu_exists(new stdClass)', 'apcu_exists(1)', 'apcu_fetch(1)',
    'new APCUIterator("/x/", 1 << 40)', 'new APCUIterator("/x/", 1, -1)', '(bool) new APCUIterator("/x/", 1, 0, 3)', '(new APCUIterator("/x/", 1, 0, 3))->rewind()', '(new APCUIterator("/x/", 1, 0, 3))->valid()',
    '(new APCUIterator("/x/"))->current()', '(new APCUIterator("/x/"))->key()', '(new APCUIterator("/x/"))->valid()', '(new ReflectionClass("APCUIterator"))->newInstanceWithoutConstructor()->current()',
    '(new ReflectionClass("APCUIterator"))->newInstanceWithoutConstructor()->getTotalCount()', 'clone new APCUIterator("/x/")', 'new APCUIterator("nonsense(")',
    'apcu_delete((new ReflectionClass("APCUIterator"))->newInstanceWithoutConstructor())', 'apcu_delete(new APCUIterator("/nothing/"))', '(string) apcu_entry("e", fn() => STDIN)', 'apcu_entry("e", fn() => fn() => 1)',
    'apcu_inc("k")', 'apcu_inc("new", 1, $s, -1)', 'apcu_dec([])', 'apcu_cas("k", 1, 2)', '[apcu_store("", 5), apcu_fetch(""), apcu_inc(""), apcu_exists([""]), apcu_delete("")]', 'apcu_key_info("none")', 'apcu_store()', 'apcu_entry("k", "no function")',
];
$off = ['apcu_cache_info()', 'apcu_sma_info()', 'new APCUIterator', 'apcu_store("k", 1)', 'apcu_fetch("k")', 'apcu_delete(["k"])', 'apcu_enabled()'];
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d html_errors=0 -d display_errors=1 -d extension_dir=' . escapeshellarg(ini_get('extension_dir'));
$run = fn(string $settings, string $call) => preg_replace(['/ in Command line code.*/', '/^(\s*Fatal error: )Uncaught Error: (.*)$/m', '/^Stack trace:\n(#.*\n)*  thrown\n/m', '/^(\s*Fatal error: )APCUIterator::__construct\(\): |^(\s*Fatal error: )apcu_delete\(\): /m'], ['', '$1$2', '', '$1$2'],
    (string) shell_exec("$php $settings -r " . escapeshellarg("try { var_dump($call); } catch (Exception \$e) { for (; \$e; \$e = \$e->getPrevious()) echo get_class(\$e), ': ', \$e->getMessage(), \"\\n\"; }") . ' </dev/null 2>&1'));
foreach ([1 => $calls, 0 => $off] as $on => $list) foreach ($list as $call) {
    $theirs = $run("-d extension=apcu -d apc.enable_cli=$on", $call);
    $ours = $run('-d extension=' . escapeshellarg($so) . " -d larder.compat=apcu -d apc.enable_cli=$on", $call);
    if ($theirs !== $ours) echo "$call\nAPCu: $theirs\nLarder: $ours\n";
}
echo "done\n";
--EXPECT--
done
