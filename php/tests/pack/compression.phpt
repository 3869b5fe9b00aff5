--TEST--
larder: pack: while memory is short, only values are compressed that shrink much by it; form "packed" compresses each
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\{Inspector, VolatileCache as Cache};

/* Has only the methods of Serializable, so PHP's serializer stores it as a text. */
class Text implements Serializable { function __construct(public $x) {} function serialize() { return $this->x; } function unserialize($text) { $this->x = $text; } }
class Row { public function __construct(public int $id, public string $name, public string $place) {} }
/* Returns $n words in a pseudo-random order. */
function words(int $n): string {
    for ($text = '', $x = 1; $n-- > 0; $text .= ['stock ', 'order ', 'price ', 'invoice '][$x >> 28])
        $x = $x * 1103515245 + 12345 & 0x3fffffff;
    return $text;
}
function bytes(mixed $value, ?string $form): int {
    Cache::set('key', $value, 0, $form);
    $info = Cache::keyInfo('key');
    if ($info->form !== 'packed' || Cache::get('key') != $value) die('wrong');
    return $info->size;
}

$stats = fn(): array => Inspector::own('volatile')->stats();
for ($i = 0; $stats()['used'] < $stats()['size'] * 0.9; $i++) Cache::set("full $i", random_bytes(4000));
/* Before entries are evicted, the form "auto" compresses arrays by a faster method. */
$page = ['title' => 'Page', 'text' => words(1000)];
$bytes = [bytes($page, 'packed'), bytes($page, 'auto'), 0.7 * strlen($page['text'])];
echo 'quick: ', $stats()['evicted'] === 0 && $bytes[0] < $bytes[1] && $bytes[1] < $bytes[2] ? 'larger' : 'not larger', "\n";
while ($stats()['evicted'] < 100) Cache::set('full ' . $i++, random_bytes(4000));
$text = fn(int $i): string => substr(strtr(base64_encode(md5("$i", true)), '+/', '__'), 0, 8);
$rows = array_map(fn($i) => ['id' => $i, 'name' => 'name' . $text($i), 'place' => $text($i + 100000)], range(1, 300));
$objects = array_map(fn($row) => new Row(...$row), $rows);
$alike = array_map(fn($i) => ['id' => $i, 'name' => "The name of row $i", 'place' => "A place for row $i"], range(1, 300));
$few = array_slice($alike, 0, 10);
$words = words(1000);
foreach (['rows' => $rows, 'objects' => $objects, 'rows alike' => $alike, 'few rows' => $few, 'page' => $page, 'text' => $words] as $name => $value)
    echo "$name: ", bytes($value, 'auto') > bytes($value, 'packed') * 1.05 ? 'encoded' : 'compressed', "\n";

/* Compression would save only a seventh of this text. */
$names = new Text(implode(',', array_map(fn($i) => "name" . $text($i), range(1, 400))));
foreach (['auto', 'packed'] as $form) {
    Cache::set('key', $names, 0, $form);
    echo "names, $form: ", Cache::keyInfo('key')->form, Cache::get('key') == $names ? '' : ', but wrong', "\n";
}
$twice = new Text(words(1000));
/* The form "auto" compresses faster, but saves less. */
echo 'a text: ', bytes($twice, 'packed') < bytes($twice, 'auto') && bytes($twice, 'auto') < 0.7 * strlen($twice->x) ? 'compressed' : 'not', "\n";
?>
--EXPECT--
quick: larger
rows: encoded
objects: encoded
rows alike: compressed
few rows: compressed
page: compressed
text: compressed
names, auto: ready
names, packed: packed
a text: compressed
