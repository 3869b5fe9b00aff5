--TEST--
larder: session: any session.serialize_handler, also binary ones
--EXTENSIONS--
larder
session
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
ob_start();
class Basket { public array $goods = ['a' => 1]; private $self; function __construct() { $this->self = $this; } function whole(): bool { return $this->self === $this; } }
foreach (['php', 'php_binary', 'php_serialize', 'igbinary', 'msgpack'] as $handler) {
    if (!@ini_set('session.serialize_handler', $handler)) {
        if (in_array($handler, ['igbinary', 'msgpack'])) continue;
        echo "$handler is missing\n";
    }
    session_id(strtr($handler, '_', '-'));
    session_start();
    $basket = new Basket;
    $_SESSION = ['basket' => $basket, 'same' => $basket, 'bytes' => random_bytes(300), 'float' => 0.1, 'null' => null, 'deep' => [[[['x']]]]];
    $was = $_SESSION;
    session_write_close();
    $_SESSION = [];
    session_start();
    if (array_slice($_SESSION, 2) !== array_slice($was, 2) || $_SESSION['basket']->goods !== ['a' => 1] || $_SESSION['basket'] !== $_SESSION['same'] || !$_SESSION['basket']->whole()) var_dump($handler, $_SESSION);
    session_write_close();
}
echo "ok\n";
--EXPECT--
ok
