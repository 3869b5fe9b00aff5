--TEST--
larder: statics: every way to change a static is seen by the next request
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.statics_interval=10
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
require __DIR__ . '/../include/every_change.php';
every_change('#[VolatileStatic]', false);
?>
--EXPECT--
many changes, 0 wrong
