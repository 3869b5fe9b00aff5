--TEST--
larder: pack: a fatal error in a hook of a packed graph that becomes ready again leaves no memory behind in the process
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip the memory of the process is not that of PHP alone');
if (!is_readable('/proc/self/status')) die('skip needs /proc');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$folder = ops_folder();
$class = 'class Item { public array $rows = []; function __wakeup() { ($GLOBALS["hook"] ?? fn() => 0)(); } }';
$settings = "larder.path=$folder larder.volatile_size=256M larder.resident_size=0";
$fill = server("$class for (\$i = 0; \$i < 25; \$i++) { \$item = new Item; for (\$j = 0; \$j < 10000; \$j++) \$item->rows[] = ['id' => \$j, 'name' => \"name \$i \$j\", 'x' => \"x\$j\"];
    VolatileCache::set(\"k\$i\", \$item); } echo VolatileCache::keyInfo('k24')->form;", 0, "$settings larder.form=packed memory_limit=512M");
echo $fill(), "\n";
$serve = server("$class " . <<<'CODE'
    if ($n < 0) {
        echo preg_match('/^RssAnon:\s+(\d+) kB/m', file_get_contents('/proc/self/status'), $found) ? $found[1] : 0;
        exit;
    }
    $hook = function () use ($n) { if (VolatileCache::keyInfo("k$n")->form === 'ready') eval('class Wrong { abstract function f(); }'); };
    for ($i = 0; $i < 1000; $i++) { $item = VolatileCache::get("k$n"); unset($item); }
    CODE, 0, "$settings memory_limit=512M");
$fatal = 0;
for ($n = 0; $n < 25; $n++) {
    $fatal += str_contains($serve($n), 'Fatal error');
    if ($n === 4) $before = $serve(-1);
}
$after = $serve(-1);
var_dump($fatal, $after - $before < 5000 ? 'no more memory' : "$before kB, then $after");
?>
--EXPECT--
packed
int(25)
string(14) "no more memory"
