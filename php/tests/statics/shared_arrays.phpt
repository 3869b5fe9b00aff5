--TEST--
larder: statics: arrays that lie in others many times are looked into once each
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
$file = source('trees', <<<'CODE'
    set_time_limit(60);
    class Tree { #[PinnedStatic] public static array $p = []; #[VolatileStatic] public static array $v = []; }
    function touched() {}
    function tree(array $a, int $levels): array { for ($i = 0; $i < $levels; $i++) $a = [$a, $a]; return $a; }
    function leaf(array $a): mixed { while (is_array($a[0])) $a = $a[1]; return json_encode($a); }
    CODE);
/* 2 ** 60 leaves */
echo request("require '$file'; Tree::\$p = Tree::\$v = tree(['leaf', 'of', []], 60); touched(); touched(); return 'done';", true), "\n";
echo request("require '$file'; return leaf(Tree::\$p) . leaf(Tree::\$v);"), "\n";
/* The array with the reference to $r lies in many places of the tree. Larder must find the reference, and must notice that $r changes later. */
echo request("require '$file'; \$r = 1; Tree::\$p = Tree::\$v = tree([1, &\$r], 10); touched(); touched(); \$r = 2; return 'done';"), "\n";
echo request("require '$file'; return leaf(Tree::\$p) . leaf(Tree::\$v);"), "\n";
/* The first arrays contain no reference. Larder must still find the reference in the last array. */
echo request("require '$file'; \$r = 1; \$a = tree(['none'], 20); \$b = [2, &\$r]; Tree::\$p = [\$a, \$a, [\$a, \$b]]; touched(); touched(); \$r = 3; return 'done';"), "\n";
echo request("require '$file'; return json_encode(Tree::\$p[2][1]);"), "\n";
?>
--EXPECT--
done
["leaf","of",[]]["leaf","of",[]]
done
[1,2][1,2]
done
[2,3]
