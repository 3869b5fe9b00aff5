--TEST--
larder: object: a serialized value whose class is gone is a miss, without a warning; statics wait for the class
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
use Larder\VolatileCache;

$holder = source('holder', 'class Holder { #[VolatileStatic] public static $value = "default"; #[PinnedStatic] public static ?array $pinned = null; }');
$old = source('old', 'class Old implements Serializable { public function __construct(public $in = 1) {} function serialize() { return "s:9:{$this->in}"; } function unserialize($text) { $this->in = "from $text"; } }
    class Text { public $a = "O:4:\"None\":0:{}"; public $b = 1.5e25; } enum Suit { case Hearts; }');
request("require '$holder'; require '$old'; Holder::\$value = new Old; Holder::\$pinned = [new Text, new Old];
    VolatileCache::set('old', new Old(5)); VolatileCache::set('list', ['O:1:', new Old('O:3:\"Foo\":0:{}'), new Text, Suit::Hearts]);");
echo VolatileCache::getCacheStoreType('list')->name, "\n";

$misses = VolatileCache::info()->misses;
var_dump(VolatileCache::get('old', 'a miss'), VolatileCache::get('list', 'a miss'), VolatileCache::info()->misses - $misses);
var_dump(request("require '$holder'; return [Holder::\$value, Holder::\$pinned];"));
var_dump(request("require '$holder'; require '$old'; return [Holder::\$value->in, Holder::\$pinned[1]->in];"));
spl_autoload_register(function ($class) use ($old) { echo "loads $class\n"; require $old; });
var_dump(VolatileCache::get('old')->in, array_map(get_debug_type(...), VolatileCache::get('list')), VolatileCache::get('list')[1]->in);
?>
--EXPECT--
PHPSerialized
string(6) "a miss"
string(6) "a miss"
int(2)
array(2) {
  [0]=>
  string(7) "default"
  [1]=>
  NULL
}
array(2) {
  [0]=>
  string(10) "from s:9:1"
  [1]=>
  string(10) "from s:9:1"
}
loads Old
string(10) "from s:9:5"
array(4) {
  [0]=>
  string(6) "string"
  [1]=>
  string(3) "Old"
  [2]=>
  string(4) "Text"
  [3]=>
  string(4) "Suit"
}
string(23) "from s:9:O:3:"Foo":0:{}"

