--TEST--
larder: pack: texts of PHP's serializer and of igbinary are packed where memory is short, and come back as they were
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
larder.compat=apcu
apc.shm_size=2M
apc.serializer=php
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache as Cache;

/* Has only the methods of Serializable, so PHP's serializer stores it in every store. */
class Old implements Serializable { public $x; function __construct($x) { $this->x = $x; } function serialize() { return json_encode($this->x); } function unserialize($text) { $this->x = json_decode($text, true); } }
class Plain { public $rows = []; }

function rows(int $i): array { return array_map(fn($j) => ['id' => $j, 'name' => "name $i"], range(1, 20)); }
function about(): array { return array_intersect_key(Larder\Inspector::own('volatile')->stats(), ['packs' => 1, 'unpacks' => 1]); }

Cache::set('ready', new Old(rows(1)));
Cache::set('packed', new Old(rows(1)), form: 'packed');
[$a, $b] = [Cache::keyInfo('ready'), Cache::keyInfo('packed')];
var_dump($a->form, $b->form, $a->store_type === $b->store_type, $b->size * 2 < $a->size, $b->ready_size === $a->size);
var_dump(Cache::get('packed')->x === rows(1), about());

// With apc.serializer=php, values are stored as texts. Larder packs new values as soon as the store evicts entries.
for ($i = 0; $i < 5000; $i++) { $plain = new Plain; $plain->rows = rows($i); apcu_store("k$i", $plain); }
$entries = Larder\Inspector::own('apcu')->entries('k', '', 10000);
$stats = Larder\Inspector::own('apcu')->stats();
var_dump($stats['packs'] > 1000, $stats['falls'] > 0, $stats['packed_entries'] > 100, count(array_filter($entries, fn($e) => $e['form'] === 'packed' && $e['size'] * 2 < $e['ready'])) === count(array_filter($entries, fn($e) => $e['form'] === 'packed')));
$wrong = $found = 0;
for ($i = 0; $i < 5000; $i++) { $value = apcu_fetch("k$i"); if ($value === false) continue; $found++; $wrong += !$value instanceof Plain || $value->rows !== rows($i); }
var_dump($found > 100, $wrong, Larder\Inspector::own('apcu')->stats()['unpacks'] > 100);
?>
--EXPECT--
string(5) "ready"
string(6) "packed"
bool(true)
bool(true)
bool(true)
bool(true)
array(2) {
  ["packs"]=>
  int(1)
  ["unpacks"]=>
  int(1)
}
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
bool(true)
