--TEST--
larder: statics: every change is there when the process is killed after the next safe point
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.statics_interval=0
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
require __DIR__ . '/../include/every_change.php';
every_change('#[VolatileStatic]', true);
?>
--EXPECT--
many changes, 0 wrong
