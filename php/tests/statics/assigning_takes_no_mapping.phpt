--TEST--
larder: statics: to assign one takes no further mapping, which the kernel refuses to a process that has many
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$code = 'class M {';
for ($i = 0; $i < 900; $i++) {
    $code .= " #[PinnedStatic] public static int \$n$i = 0; #[PinnedStatic] public static \$v$i = null;";
}
$code .= ' #[PinnedStatic] static function f() { static $a = 1, $b = 1, $c = 1; $b = [1]; return M::maps(); }
    static function maps() { return substr_count(file_get_contents("/proc/self/maps"), "\n"); } }';
$file = source('mappings', $code);
foreach (['M::$n450 = 1;', 'M::$v450 = [1];', 'M::$v450 = [1]; M::$v451 = new stdClass; M::$v10 = 1;'] as $write) {
    /* Count the memory mappings of the process twice. At the first count, all pages are protected. The second count comes after the write,
     * but before the next safe point. */
    [$before, $after] = request("require '$file'; M::maps(); for (\$i = 0; \$i < 3; \$i++) strlen('x'); \$before = substr_count(file_get_contents('/proc/self/maps'), \"\\n\"); $write \$after = file_get_contents('/proc/self/maps'); return [\$before, substr_count(\$after, \"\\n\")];");
    echo $write, ' ', $after <= $before ? 'no more mappings' : "$before mappings, then $after", "\n";
}
[$before, $after] = request("require '$file'; M::f(); for (\$i = 0; \$i < 3; \$i++) strlen('x'); return [M::maps(), M::f()];");
echo 'variables: ', $after <= $before ? 'no more mappings' : "$before mappings, then $after", "\n";
?>
--EXPECT--
M::$n450 = 1; no more mappings
M::$v450 = [1]; no more mappings
M::$v450 = [1]; M::$v451 = new stdClass; M::$v10 = 1; no more mappings
variables: no more mappings
