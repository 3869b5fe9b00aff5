--TEST--
larder: session: without locks, a request that outlasts the end of a destroyed session does not make its id valid again
--EXTENSIONS--
larder
session
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/clock.php';
clock_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/clock.php';
$settings = '-d session.save_handler=larder -d session.use_cookies=0 -d session.use_strict_mode=0 -d session.cache_limiter= -d larder.session_lock=0 -d larder.scope=t -d larder.path=' . ops_folder();
echo clock_php($settings, <<<'PHP'
    ob_start();
    function visit(string $id, callable $run): void
    {
        session_id($id);
        session_start();
        $run();
        session_write_close();
    }
    /* Begins a request, and returns a pipe. The request ends when a byte is written to this pipe. */
    function request(string $id): array
    {
        $pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (($pid = pcntl_fork()) === 0) {
            visit($id, function () use ($pipe) {
                fwrite($pipe[1], "b");
                fread($pipe[1], 1);
                $_SESSION["visits"] = 1;
            });
            exec("kill -9 " . getmypid());
        }
        fread($pipe[0], 1);
        return [$pid, $pipe[0]];
    }
    function end_request(array $request): void
    {
        fwrite($request[1], "e");
        pcntl_waitpid($request[0], $status);
    }
    function lives(string $id): string
    {
        ini_set("session.use_strict_mode", 1);
        session_id($id);
        session_start();
        $lives = session_id() === $id ? "valid" : "refused";
        session_write_close();
        ini_set("session.use_strict_mode", 0);
        return "$id: $lives\n";
    }
    foreach (["destroyed", "noticed"] as $id) {
        visit($id, fn () => $_SESSION["user"] = "alice");
    }
    ini_set("session.gc_maxlifetime", 2);
    visit("expired", fn () => $_SESSION["user"] = "bob");
    ini_set("session.gc_maxlifetime", 1000);
    $requests = array_map(request(...), ["destroyed", "noticed", "expired"]);
    foreach (["destroyed", "noticed"] as $id) {
        visit($id, fn () => session_destroy());
    }
    pass(3);
    echo lives("expired");
    end_request($requests[1]); // a record in the store says that this session was destroyed
    end_request($requests[2]); // this session has merely expired, so its young request may write it again
    echo lives("noticed"), lives("expired");
    pass(60); // the record of the end of a session expires after a minute
    end_request($requests[0]);
    echo lives("destroyed");
    PHP);
?>
--EXPECT--
expired: refused
noticed: refused
expired: valid
destroyed: refused
