--TEST--
larder: statics: the cycle collector does not run while a class is compiled
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php
require __DIR__ . '/../include/statics.php';
statics_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
require __DIR__ . '/../include/collector.php';

$listed = source('listed', 'class Listed { #[VolatileStatic] public static array $list = [1, 2, 3]; }');
$other = source('other', 'class Other {}');
request("require '$listed'; Listed::\$list[] = 4;");
/* PHP's compiler is not reentrant: if the collector ran a destructor during a compilation, the destructor could not load a class. */
echo request(<<<CODE
    spl_autoload_register(function () { require_once '$other'; });
    garbage(function () { \$GLOBALS['there'] = class_exists('Other'); });
    Roots::fill();
    require '$listed';
    gc_collect_cycles();
    return implode(' ', Listed::\$list) . (\$GLOBALS['there'] ? ', loaded' : ', NOT LOADED');
    CODE), "\n";
--EXPECT--
1 2 3 4, loaded
