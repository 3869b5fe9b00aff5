--TEST--
larder: statics: every change is seen at the end of a request where it is tracked
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
every_change('#[VolatileStatic(strategy: CacheStrategy::Tracking)]', false);
?>
--EXPECT--
many changes, 0 wrong
