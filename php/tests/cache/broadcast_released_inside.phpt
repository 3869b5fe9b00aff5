--TEST--
larder: broadcast: a hook or destructor may release the broadcast whose value is read
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Broadcast;

function release(): void
{
    global $flags, $taken;
    $flags = null;
    // These strings reuse the memory of the released object. So a write to this object would change a string.
    $taken = [];
    for ($i = 0; $i < 8; $i++) {
        $taken[] = str_repeat(chr(65 + $i), 128);
    }
}

class Hook
{
    public $list = [1, 2];

    public function __wakeup()
    {
        release();
    }
}

class Destructor
{
    public function __destruct()
    {
        if (isset($GLOBALS['armed'])) {
            release();
        }
    }
}

function untouched(): bool
{
    foreach ($GLOBALS['taken'] as $i => $string) {
        if ($string !== str_repeat(chr(65 + $i), 128)) {
            return false;
        }
    }
    return true;
}

$flags = Broadcast::open('hook');
$flags->publish(new Hook());
var_dump($flags->value->list, $flags, untouched());

$flags = Broadcast::open('hook');
var_dump(isset($flags->value), $flags, untouched());

Broadcast::open('destructor')->publish(new Destructor());
$flags = Broadcast::open('destructor');
$flags->value::class;
Broadcast::open('destructor')->publish([3, 4]);
$armed = true;
var_dump($flags->value, untouched());
?>
--EXPECT--
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
NULL
bool(true)
bool(true)
NULL
bool(true)
array(2) {
  [0]=>
  int(3)
  [1]=>
  int(4)
}
bool(true)
