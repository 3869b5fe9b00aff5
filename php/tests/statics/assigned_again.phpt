--TEST--
larder: statics: an object that is assigned again is published with what has changed inside it
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$classes = 'class O { public $n = 0; } enum Mode { case A; case B; }';
foreach (['VolatileStatic', 'PinnedStatic'] as $attribute) {
    $classes .= strtr(<<<'CODE'
        class A {
            #[A] public static ?O $typed = null;
            #[A] public static $untyped = null;
            #[A] public static array $array = [];
            #[A] public static int $beside = 0;
            #[A] public static ?Mode $mode = null;
            #[A] public static $many = null;
            static function typed() { self::$typed ??= new O; $o = self::$typed; $o->n++; self::$typed = $o; return self::$typed->n; }
            static function untyped() { self::$untyped ??= new O; $o = self::$untyped; $o->n++; self::$untyped = $o; return self::$untyped->n; }
            static function inArray() { self::$array['o'] ??= new O; $all = self::$array; $all['o']->n++; self::$array = $all; return self::$array['o']->n; }
            #[A] static function variable() { static $x = null; $x ??= new O; $o = $x; $o->n++; $x = $o; return $x->n; }
            static function often() { self::$many ??= new O; for ($i = 0; $i < 10; $i++) { $o = self::$many; $o->n++; self::$many = $o; } return self::$many->n; }
            /* The property gets the enum case that it already has. An enum case cannot have changed inside. */
            static function same() { self::$beside++; self::$mode ??= Mode::A; self::$mode = self::$mode; return [self::$beside, CACHE::keyInfo('mode', self::class)?->version]; }
        }
        #[A] function A_function() { static $x = null; $x ??= new O; $o = $x; $o->n++; $x = $o; return $x->n; }
        CODE . "\n", ['#[A]' => "#[$attribute]", 'class A' => "class Of$attribute", 'A_' => "{$attribute}_", 'CACHE' => str_replace('Static', 'Cache', $attribute)]);
}
$file = source('again', $classes);
foreach (['VolatileStatic', 'PinnedStatic'] as $attribute) {
    foreach (["Of$attribute::typed()", "Of$attribute::untyped()", "Of$attribute::inArray()", "Of$attribute::variable()", "{$attribute}_function()", "Of$attribute::often()"] as $call) {
        echo $call, ':';
        for ($i = 0; $i < 4; $i++) {
            echo ' ', json_encode(request("require '$file'; return $call;"));
        }
        echo "\n";
    }
    /* Kill the process after a safe point. */
    echo 'killed: ', json_encode(request("require '$file'; \$n = Of$attribute::typed(); if (" . ($attribute === 'PinnedStatic' ? 1 : 0) . ") foreach ([1, 2] as \$i) strlen('x'); else for (\$end = hrtime(true) + 1e9; hrtime(true) < \$end;) usleep(1000); for (\$i = 0; \$i < 3; \$i++); return \$n;", true)), ', then ', request("require '$file'; return Of$attribute::\$typed->n;"), "\n";
    request("require '$file'; return Of$attribute::same();");
    [, $first] = request("require '$file'; return Of$attribute::same();");
    [$beside, $second] = request("require '$file'; return Of$attribute::same();");
    echo "beside: $beside, ", $first !== null && $first === $second ? 'not written' : 'written', "\n";
}
/* The file that declares the class also uses it, as in a script. */
echo 'declared and used:';
for ($i = 0; $i < 4; $i++) {
    $main = source('main', 'class Q { public $n = 0; } class P { #[PinnedStatic] public static ?Q $x = null; } P::$x ??= new Q; $o = P::$x; $o->n++; P::$x = $o; return P::$x->n;');
    echo ' ', request("return require '$main';");
}
echo "\n";
?>
--EXPECT--
OfVolatileStatic::typed(): 1 2 3 4
OfVolatileStatic::untyped(): 1 2 3 4
OfVolatileStatic::inArray(): 1 2 3 4
OfVolatileStatic::variable(): 1 2 3 4
VolatileStatic_function(): 1 2 3 4
OfVolatileStatic::often(): 10 20 30 40
killed: 5, then 5
beside: 3, not written
OfPinnedStatic::typed(): 1 2 3 4
OfPinnedStatic::untyped(): 1 2 3 4
OfPinnedStatic::inArray(): 1 2 3 4
OfPinnedStatic::variable(): 1 2 3 4
PinnedStatic_function(): 1 2 3 4
OfPinnedStatic::often(): 10 20 30 40
killed: 5, then 5
beside: 3, not written
declared and used: 1 2 3 4
