--TEST--
larder: statics: static variables of methods and functions
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('methods', <<<'CODE'
    namespace App;
    const FIVE = 5;
    class Point { public $x = 1; }
    trait Counts { #[\Larder\VolatileStatic] function counted() { static $n = 0; return ++$n; } }
    class Foo {
        use Counts;
        #[\Larder\VolatileStatic] static function increment() { static $n = 0, $log = []; $log[] = ++$n; return count($log) . ":$n"; }
        #[\Larder\PinnedStatic] function cache($k, $v = null) { static $cache = []; if ($v !== null) $cache['x'][$k] = $v; return $cache['x'][$k] ?? 'none'; }
        #[\Larder\VolatileStatic(strategy: \Larder\CacheStrategy::Tracking)] static function tracked() { static $o; $o ??= new Point; return $o->x++; }
        #[\Larder\VolatileStatic] static function constant() { static $n = FIVE * 2; return $n++; }
        static function plain() { static $n = 0; return ++$n; }
        #[\Larder\VolatileStatic] static function recursive($i) { static $sum = 0; $sum += $i; return $i ? self::recursive($i - 1) : $sum; }
        #[\Larder\VolatileStatic] static function generator() { static $n = 0; while (true) yield $n++; }
    }
    class Child extends Foo {}
    class Other { use Counts; }
    #[\Larder\VolatileStatic] function nothing($v = null) { static $x = null, $y; if ($v) $x = $y = $v; return [$x, $y]; }
    #[\Larder\VolatileStatic] function fun($v = null) { static $x = 'default', $y = null; if ($v) { $x .= $v; $y = [$v]; } return $x . json_encode($y); }
    CODE);
$run = fn (string $code, bool $kill = false) => request("require '$file'; return json_encode([$code]);", $kill);
for ($i = 0; $i < 4; $i++) {
    echo $run('App\Foo::increment(), App\Foo::increment(), App\Child::increment(), (new App\Foo)->cache(1), (new App\Foo)->cache(1, "v' . $i . '"), App\Foo::tracked(), App\Foo::constant(), App\Foo::plain(), (new App\Foo)->counted(), (new App\Other)->counted(), App\Foo::recursive(3), iterator_count(new LimitIterator(App\Foo::generator(), 0, 3)), App\fun(), App\fun("' . chr(97 + $i) . '")'), "\n";
}
echo 'killed: ', $run('App\Foo::increment(), (new App\Foo)->cache(2, "there"), strlen("x"), App\Foo::plain()', true), ' ', $run('(new App\Foo)->cache(2)'), "\n";
echo 'null: ', $run('App\nothing(), App\nothing(1)'), $run('App\nothing(2)'), $run('App\nothing()'), "\n";
?>
--EXPECT--
["1:1","2:2","3:3","none","v0",1,10,1,1,1,6,3,"defaultnull","defaulta[\"a\"]"]
["4:4","5:5","6:6","v0","v1",2,11,1,2,2,12,3,"defaulta[\"a\"]","defaultab[\"b\"]"]
["7:7","8:8","9:9","v1","v2",3,12,1,3,3,18,3,"defaultab[\"b\"]","defaultabc[\"c\"]"]
["10:10","11:11","12:12","v2","v3",4,13,1,4,4,24,3,"defaultabc[\"c\"]","defaultabcd[\"d\"]"]
killed: ["13:13","there",1,1] ["there"]
null: [[null,null],[1,1]][[2,2]][[2,2]]
