--TEST--
larder: statics: a worker that keeps only the constants of a pinned static, or keeps all of it, can change to the other way
--EXTENSIONS--
larder
--INI--
larder.statics=1
--FILE--
<?php
require __DIR__ . '/../include/server.php';

/* The value has constant arrays of enum cases, and objects that the program may change. If there is room and no class has a destructor, a
 * worker keeps the whole value. Otherwise, it keeps only the constant arrays. */
const PROGRAM = <<<'CODE'
    use Larder\PinnedStatic;
    enum Suit { case Hearts; case Spades; }
    if ($n >= 10) { eval('class Item { public $x; public $suits; function __destruct() {} }'); } else { eval('class Item { public $x; public $suits; }'); }
    class Kept { #[PinnedStatic] public static array $items = []; }
    if ($n === 0) {
        for ($i = 0; $i < 40; $i++) {
            $item = new Item;
            $item->x = $i;
            $item->suits = [Suit::Hearts, Suit::Spades, "suit $i"];
            Kept::$items[] = $item;
        }
        exit('stored');
    }
    $right = 0;
    foreach (Kept::$items as $i => $item) $right += $item->x === $i && $item->suits === [Suit::Hearts, Suit::Spades, "suit $i"];
    echo $right, ' right';
    CODE;

echo "little room\n";
$ask = server(PROGRAM, 0, 'larder.resident_size=12K');
for ($i = 0; $i < 4; $i++) var_dump($ask($i));
echo "a class gets a destructor\n";
$ask = server(PROGRAM);
foreach ([0, 1, 2, 10, 11, 3, 4] as $i) var_dump($ask($i));
--EXPECT--
little room
string(6) "stored"
string(8) "40 right"
string(8) "40 right"
string(8) "40 right"
a class gets a destructor
string(6) "stored"
string(8) "40 right"
string(8) "40 right"
string(8) "40 right"
string(8) "40 right"
string(8) "40 right"
string(8) "40 right"
