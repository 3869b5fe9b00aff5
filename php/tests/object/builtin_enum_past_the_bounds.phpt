--TEST--
larder: object: past the bounds of what a request may hold, a case of an enum of PHP or of an extension is no miss
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\{CacheStoreType, VolatileCache};

enum Own { case A; }

$held = hold_all_that_a_request_may();
$cases = [Own::A, CacheStoreType::Scalar, class_exists('Random\IntervalBoundary') ? Random\IntervalBoundary::ClosedOpen : Own::A, class_exists('RoundingMode') ? RoundingMode::HalfEven : Own::A];
foreach ($cases as $case) {
    foreach (['case' => $case, 'array' => [1, $case], 'object' => (object) ['x' => $case], 'collection' => new ArrayObject([$case])] as $name => $value) {
        VolatileCache::set($name, $value);
        $copies = VolatileCache::info()->copies;
        echo $name, ' ', json_encode([VolatileCache::has($name), VolatileCache::get($name) == $value, VolatileCache::info()->copies > $copies]), "\n";
    }
}
?>
--EXPECT--
case [true,true,true]
array [true,true,true]
object [true,true,true]
collection [true,true,true]
case [true,true,true]
array [true,true,true]
object [true,true,true]
collection [true,true,true]
case [true,true,true]
array [true,true,true]
object [true,true,true]
collection [true,true,true]
case [true,true,true]
array [true,true,true]
object [true,true,true]
collection [true,true,true]
