--TEST--
larder: statics: a child with an attribute that is loaded later leaves its parent's changes alone
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$parent = source('parent', <<<'CODE'
    class Mother {
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static int $tracked = 0;
        #[VolatileStatic] public static int $immediate = 0;
        #[PinnedStatic] public static ?int $pinned = Numbers::ZERO;
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static function variable() { static $n = 0; return ++$n; }
        #[PinnedStatic] public static function computed() { static $n = Numbers::ZERO; return ++$n; }
    }
    CODE);
$numbers = source('numbers', 'class Numbers { const ZERO = 0; }');
$child = source('child', 'class Child extends Mother { #[PinnedStatic] public static int $own = 0; } class Grandchild extends Child { #[VolatileStatic] public static int $more = 0; }');
for ($i = 0; $i < 3; $i++) {
    echo json_encode(request(<<<CODE
        require '$parent';
        require '$numbers';
        \$calls = [Mother::variable(), Mother::computed(), ++Mother::\$tracked, ++Mother::\$immediate, ++Mother::\$pinned];
        require '$child';
        return [...\$calls, ++Child::\$tracked, ++Grandchild::\$immediate, ++Child::\$pinned, Child::variable(), Grandchild::computed(), ++Child::\$own, ++Grandchild::\$more];
        CODE)), "\n";
}
?>
--EXPECT--
[1,1,1,1,1,2,2,2,2,2,1,1]
[3,3,3,3,3,4,4,4,4,4,2,2]
[5,5,5,5,5,6,6,6,6,6,3,3]
