--TEST--
larder: object: a hook that deletes the entry, fills the store and throws
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\VolatileCache;

class H {
    public $a;
    function __serialize(): array { return [$this->a]; }
    function __unserialize(array $data): void {
        global $armed, $size;
        if ($armed) {
            $armed = false;
            VolatileCache::delete('h');
            for ($i = 0; $i < 30000; $i++) VolatileCache::set('f' . ($i % 3000), str_repeat("\xff", $size - 32));
            throw new Exception('hook');
        }
        $this->a = $data[0];
    }
}
$hold = hold_all_that_a_request_may();
$h = new H;
$h->a = str_repeat('x', 100);
VolatileCache::set('h', [$h, new H, 'pad' => str_repeat('y', 100)]);
$size = VolatileCache::keyInfo('h')->size;
$armed = true;
try { VolatileCache::get('h'); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::has('h'));
--EXPECT--
hook
bool(false)
