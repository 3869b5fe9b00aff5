--TEST--
larder: lifetime: a session handler that keeps its data in the cache
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    class H implements SessionHandlerInterface {
        function create_sid(): string { return session_create_id(); } function validateId($id): bool { return true; }
        function open($p, $n): bool { return true; } function close(): bool { VolatileCache::get('meta'); return true; } function gc($m): int|false { return 0; }
        function read($id): string { return VolatileCache::get("s.$id", ''); } function destroy($id): bool { return VolatileCache::delete("s.$id"); }
        function write($id, $data): bool { $old = VolatileCache::get("s.$id", ''); return VolatileCache::set("s.$id", $data) && VolatileCache::set('meta', [strlen($old), $data]); }
    }
    VolatileCache::set('big', ['x' => str_repeat('x', 400), 'name' => 'SESSION' . str_repeat('N', 300)]);
    $big = VolatileCache::get('big');
    VolatileCache::delete('big'); // from now on, only the hold of this request keeps the data of the session
    session_set_save_handler(new H, $n % 2 === 0);
    session_name($big['name']);
    session_id('abc'); session_start(['use_cookies' => 0, 'use_strict_mode' => 0, 'cache_limiter' => '']);
    $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
    $_SESSION['v'] = $big;
    echo $_SESSION['n'], '-', strlen($_SESSION['v']['x']);
    CODE);
$answers = [];
for ($n = 0; $n < 8; $n++) $answers[] = $ask($n);
echo implode(' ', $answers), "\n";
--EXPECT--
1-400 2-400 3-400 4-400 5-400 6-400 7-400 8-400
