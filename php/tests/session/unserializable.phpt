--TEST--
larder: session: the stored session stays when the new one cannot be serialized
--EXTENSIONS--
larder
session
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
output_buffering=4096
--FILE--
<?php
final class Bad { public function __serialize(): array { throw new Exception("not now"); } }
foreach (['php', 'php_binary', 'php_serialize'] as $i => $handler) {
    ini_set('session.serialize_handler', $handler);
    session_id("a$i");
    session_start();
    $_SESSION['user'] = 7;
    session_write_close();
    foreach ([fn() => 1, new Bad] as $bad) {
        session_start();
        $_SESSION['bad'] = $bad;
        try {
            session_write_close();
        } catch (Exception $e) {
            echo $e->getMessage(), "\n";
        }
        session_start();
        echo json_encode($_SESSION), "\n";
        /* A valid session is written as usual, even while an exception is being thrown. */
        try {
            try {
                $_SESSION['user']++;
                throw new Exception;
            } finally {
                session_write_close();
            }
        } catch (Exception) {
        }
    }
}
?>
--EXPECTF--
Serialization of 'Closure' is not allowed
{"user":7}
not now
{"user":8}
Serialization of 'Closure' is not allowed
{"user":7}
not now
{"user":8}
Serialization of 'Closure' is not allowed
{"user":7}
not now
{"user":8}
