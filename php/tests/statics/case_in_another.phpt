--TEST--
larder: statics: those of a class are found when another static had its constants computed before
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('suits', <<<'CODE'
    class Hand { #[VolatileStatic] public static array $suits = []; #[PinnedStatic] public static array $pinned = []; }
    interface Named { const SUFFIX = '!'; }
    enum Suit: string implements Named {
        const NAME = self::SUFFIX . '?';
        case Hearts = 'h';
        case Spades = 's';
        #[VolatileStatic] public static function asked() { static $n = 0; return ++$n; }
    }
    CODE);
for ($i = 0; $i < 3; $i++) {
    echo json_encode(request(<<<CODE
        require '$file';
        Hand::\$suits[] = Suit::Spades;
        Hand::\$pinned[] = Suit::from('h');
        return [count(Hand::\$suits), Hand::\$suits[$i] === Suit::Spades, Suit::asked(), Suit::asked(), Suit::NAME];
        CODE)), "\n";
}
?>
--EXPECT--
[1,true,1,2,"!?"]
[2,true,3,4,"!?"]
[3,true,5,6,"!?"]
