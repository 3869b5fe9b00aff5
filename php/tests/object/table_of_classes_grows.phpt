--TEST--
larder: object: the table of classes may grow, and move, while a value is stored
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Base { public $told; function __construct($told) { $this->told = $told; } }
class State extends Base { function __serialize(): array { return [$this->told]; } function __unserialize(array $data): void { [$this->told] = $data; } }
class Sleeper extends Base { function __sleep() { return ['told']; } function __wakeup() { $this->told[] = 'woken'; } }
class Named extends ArrayObject { public $own = 'own'; }
class Moment extends DateTimeImmutable { public $own = 'own'; }
$made = 0;
function fresh(): object { global $made; eval('class Fresh' . ++$made . ' extends ArrayObject { public $a = ' . $made . '; }'); return new ("Fresh$made")([$made], ArrayObject::ARRAY_AS_PROPS); }
/* __serialize() returns objects of classes that are new to this process. */
class Maker extends Base { function __serialize(): array { return [fresh(), [fresh()], $this->told]; } function __unserialize(array $data): void { $this->told = $data; } }
function text(mixed $value): string { return preg_replace('/\d+:"Fresh\d+"|i:\d+;/', '', serialize($value)); }

foreach ([1, 14, 15, 16, 30, 31, 62, 126, 254] as $count) {
    $list = [];
    for ($i = 0; $i < $count; $i++) $list[] = fresh();
    $list[] = new State([fresh(), new Sleeper([fresh()]), new Maker(new State(fresh()))]);
    $list[] = new Named([fresh(), new Moment('@1'), new Sleeper([new SplObjectStorage, fresh()])]);
    $before = serialize($list);
    $stored = VolatileCache::set('k', $list);
    $expected = unserialize($before);
    $got = VolatileCache::get('k');
    $same = text($got) === text($expected);
    echo $count, $stored && $same ? ' good' : ' wrong', ' ', count($got), "\n";
}
--EXPECT--
1 good 3
14 good 16
15 good 17
16 good 18
30 good 32
31 good 33
62 good 64
126 good 128
254 good 256
