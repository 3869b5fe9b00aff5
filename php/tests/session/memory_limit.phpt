--TEST--
larder: session: a session stays as it was where memory_limit, or another fatal error, ends the request that reads or decodes it
--EXTENSIONS--
larder
session
pcntl
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
larder.session_size=32M
larder.session_max_size=8M
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP'); ?>
--FILE--
<?php
ob_start();
session_id('big');
session_start();
for ($i = 0; $i < 160; $i++) {
    $_SESSION["k$i"] = str_repeat('x', 25000);
}
session_write_close();
$_SESSION = [];
if (($pid = pcntl_fork()) === 0) {
    ini_set('display_errors', 0);
    ini_set('log_errors', 0);
    register_shutdown_function(function () {
        session_write_close(); /* PHP makes the same call at the end of a request */
        posix_kill(getmypid(), SIGKILL);
    });
    ini_set('memory_limit', memory_get_usage(true) + 1000000);
    session_start();
    ob_end_flush();
    echo "it was read\n";
}
pcntl_waitpid($pid, $status);
session_start(['read_and_close' => true]);
var_dump(count($_SESSION));

/* Test Larder's handler alone, and then a handler of the program that calls Larder's handler. */
foreach ([false, true] as $around) {
    if ($around) session_set_save_handler(new SessionHandler, false);
    session_id('decoded');
    session_start();
    $_SESSION = ['first' => 1, 'many' => range(1, 300000), 'last' => 1];
    session_write_close();
    $_SESSION = [];
    if (($pid = pcntl_fork()) === 0) {
        ini_set('display_errors', 0);
        ini_set('log_errors', 0);
        register_shutdown_function(function () {
            session_write_close();
            posix_kill(getmypid(), SIGKILL);
        });
        ini_set('memory_limit', memory_get_usage(true) + 9000000);
        session_start();
        ob_end_flush();
        echo "it was decoded\n";
    }
    pcntl_waitpid($pid, $status);
    session_start(['read_and_close' => true]);
    echo implode(' ', array_keys($_SESSION)), "\n";
}
final class Broken
{
    public function __serialize(): array { return []; }
    public function __unserialize(array $data): void { eval('break;'); }
}
session_start();
$_SESSION = ['first' => 1, 'broken' => new Broken, 'last' => 1];
session_write_close();
if (($pid = pcntl_fork()) === 0) {
    ini_set('display_errors', 0);
    ini_set('log_errors', 0);
    register_shutdown_function(fn () => posix_kill(getmypid(), SIGKILL));
    session_start();
}
pcntl_waitpid($pid, $status);
echo Larder\Sessions::read('decoded'), "\n";
Larder\Sessions::write('decoded', 'first|i:1;', 1000);
session_start();
session_destroy(); /* the program itself destroys the session */
session_start(['read_and_close' => true]);
var_dump($_SESSION);
--EXPECT--
int(160)
first many last
first many last
first|i:1;broken|O:6:"Broken":0:{}last|i:1;
array(0) {
}
