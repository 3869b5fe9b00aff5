--TEST--
larder: queue: clear(true) removes what is reserved, too: its object may do nothing to it any more, and keeps the body
--EXTENSIONS--
larder
--INI--
larder.enable_cli=1
--FILE--
<?php
$q = Larder\Queue::open('clear');
$body = str_repeat('a body that is shared as it lies ', 500);
$q->pushMany([$body, 'small', 'third', 'waits']);
[$large, $small, $third] = $q->popMany(3);
$info = $q->info();
var_dump([$info->ready, $info->reserved], $q->clear());
$q->push('new');
var_dump($q->clear(true));
var_dump($large->body === $body, $small->body, $third->body, $large->ack(), $small->release(), $small->bury(), $small->touch(), $third->ack(), $third->release());
unset($large, $small, $third);
$info = $q->info();
var_dump($info->ready + $info->reserved + $info->delayed + $info->buried, $info->deleted, $q->pop());
try {
    $q->clear([]);
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(3)
}
int(1)
int(4)
bool(true)
string(5) "small"
string(5) "third"
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
int(0)
int(5)
NULL
Larder\Queue::clear(): Argument #1 ($reserved) must be of type bool, array given
