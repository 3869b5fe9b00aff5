--TEST--
larder: object: enum cases are the process's own cases
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

enum Suit { case Hearts; case Spades; const Wild = self::Spades; }
enum Level: int implements JsonSerializable { case Low = 1; case High = self::BASE * 10; const BASE = 7; function jsonSerialize(): mixed { return "level $this->value"; } }
class Card { public function __construct(public readonly Suit $suit, public ?Level $level = Level::High, public array $more = []) {} }
VolatileCache::set('case', Suit::Hearts);
VolatileCache::set('card', [new Card(Suit::Wild, more: [Level::Low, Level::Low, 'k' => Level::High]), Level::High]);
var_dump(VolatileCache::get('case') === Suit::Hearts, VolatileCache::getCacheStoreType('case')->name);
[$card, $high] = VolatileCache::get('card');
var_dump($card->suit === Suit::Spades, $card->level === $high, $high === Level::High, $card->more[0] === $card->more[1], match ($card->suit) { Suit::Hearts => 'h', Suit::Spades => 's' });
echo json_encode($card->more), ' ', Level::from(70)->name, ' ', serialize($card), "\n";
$map = new WeakMap; $map[Suit::Hearts] = 5;
var_dump($map[VolatileCache::get('case')]);
for ($i = 0; $i < 1000; $i++) VolatileCache::get('card');
unset($card, $high);
gc_collect_cycles();
var_dump(Suit::cases());
--EXPECT--
bool(true)
string(11) "SharedGraph"
bool(true)
bool(true)
bool(true)
bool(true)
string(1) "s"
{"0":"level 1","1":"level 1","k":"level 70"} High O:4:"Card":3:{s:4:"suit";E:11:"Suit:Spades";s:5:"level";E:10:"Level:High";s:4:"more";a:3:{i:0;E:9:"Level:Low";i:1;r:5;s:1:"k";r:3;}}
int(5)
array(2) {
  [0]=>
  enum(Suit::Hearts)
  [1]=>
  enum(Suit::Spades)
}
