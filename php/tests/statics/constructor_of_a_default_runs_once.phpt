--TEST--
larder: statics: the constructor of an object in the default of a static variable runs once
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('constructor', <<<'CODE'
    class Counted { public $n = 1; function __construct() { echo 'constructed, '; } }
    #[PinnedStatic] function one() { static $x = new Counted; return $x->n++; }
    #[PinnedStatic] function in_array_of() { static $x = [1, 'a' => [new Counted]]; return $x['a'][0]->n++; }
    #[VolatileStatic(strategy: CacheStrategy::Tracking)] function tracked() { static $x = PHP_VERSION ? new Counted : null; return $x->n++; }
    CODE);
foreach (['one', 'in_array_of', 'tracked'] as $function) {
    foreach ([1, 2] as $request) {
        echo request("require '$file'; return $function();"), ' ';
    }
    echo "\n";
}
?>
--EXPECT--
constructed, 1 2 
constructed, 1 2 
constructed, 1 2 
