--TEST--
larder: session: a destroyed id is refused in every race with a request that waits for it, and what expires meanwhile is written
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.save_handler=larder
session.save_path=races
session.use_strict_mode=1
session.use_cookies=0
session.cache_limiter=
session.gc_maxlifetime=1000
--FILE--
<?php
/* RACES in the environment: the number of races of each kind; default 50. */
ob_start();
Larder\Sessions::count(); /* open the store before the fork, so that both processes share it */
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
const SHORT = 0.02;
$store = fn (string $id, float $life) => Larder\Sessions::write($id, 'user|i:1;', $life);
$pass = fn () => usleep((int) (SHORT * 1000000) + 6000);
$races = [
    'destroy' => [1000, function () { session_destroy(); }],
    'another id' => [1000, function () { session_regenerate_id(true); session_destroy(); }],
    'expired, then destroyed' => [SHORT, function () use ($pass) { $pass(); session_destroy(); }],
    'prolonged, then destroyed' => [SHORT, function (string $id) use ($store, $pass) { $store($id, 1000); $pass(); session_destroy(); }],
    'prolonged, then another id' => [SHORT, function (string $id) use ($store, $pass) { $store($id, 1000); $pass(); session_regenerate_id(true); session_destroy(); }],
    'shortened, then destroyed' => [1000, function (string $id) use ($store, $pass) { $store($id, SHORT); $pass(); session_destroy(); }],
    'shortened, then expired' => [1000, function (string $id) use ($store, $pass) { $store($id, SHORT); $pass(); session_abort(); }],
    'expired' => [SHORT, function (string $id) use ($pass) { $pass(); session_abort(); }],
];
if (($child = pcntl_fork()) === 0) { /* the child waits for the lock of the session */
    fclose($here);
    while (($id = fgets($there)) !== false) {
        session_id($id = rtrim($id));
        session_start();
        $_SESSION['x'] = 1;
        $good = session_write_close();
        $kept = str_contains((string) Larder\Sessions::read(session_id()), 'x|i:1;');
        fwrite($there, json_encode(['same' => session_id() === $id, 'good' => $good, 'kept' => $kept]) . "\n");
    }
    posix_kill(getmypid(), SIGKILL);
}
fclose($there);
$number = 0;
foreach ($races as $name => [$life, $end]) {
    $back = $lost = $refused = 0;
    for ($i = $most = (int) (getenv('RACES') ?: 50); $i > 0; $i--) {
        $id = 'race' . $number++;
        do { /* a session with a short life may expire before session_start() opens it */
            $store($id, $life);
            session_id($id);
            session_start();
        } while (session_id() !== $id && session_destroy());
        fwrite($here, "$id\n");
        usleep(mt_rand(0, 3000));
        $end($id);
        $answer = json_decode(fgets($here), true);
        session_id($id);
        session_start();
        $back += session_id() === $id;
        $refused += session_id() !== $id;
        session_destroy();
        /* Data must be stored if it was written under another id, or if the session was not destroyed. */
        $lost += !$answer['good'] || (!$answer['kept'] && (!$answer['same'] || str_ends_with($name, 'expired')));
    }
    echo $name, str_ends_with($name, 'expired') ? '' : ($back === 0 ? ": all refused" : ": $back of $most came back"), $lost === 0 ? '' : ", $lost of $most lost", "\n";
}
fclose($here);
pcntl_waitpid($child, $status);
--EXPECT--
destroy: all refused
another id: all refused
expired, then destroyed: all refused
prolonged, then destroyed: all refused
prolonged, then another id: all refused
shortened, then destroyed: all refused
shortened, then expired
expired
