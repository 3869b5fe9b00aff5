--TEST--
larder: remember: calls that want one another's keys, or a session that the other one has, do not wait until they give up
--EXTENSIONS--
larder
pcntl
session
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
larder.session_lock_wait=-1
larder.compat=apcu
apc.enable_cli=1
--FILE--
<?php
use Larder\VolatileCache as V;

ob_start();
/* Both come to here before either goes on. */
function meet(string $where): void
{
    V::increment($where);
    while (V::get($where) < 2) usleep(100);
}
/* Runs both at once: they end long before a wait does, which takes 10 s. */
function both(string $name, callable ...$processes): void
{
    $start = hrtime(true);
    foreach ($processes as $run) {
        if (pcntl_fork() !== 0) continue;
        echo "$name: ", json_encode($run()), "\n";
        ob_end_flush();
        exit(0);
    }
    while (pcntl_wait($status) > 0);
    echo hrtime(true) - $start < 9e9 ? "" : "$name: waited\n";
}
$pool = V::pool('a pool');
$remember = fn(string $where, callable $r) => fn(string $own, string $other) => $r($own, function () use ($where, $own, $other, $r) {
    meet($where);
    return [$own => $r($other, fn() => $other)];
});
foreach (['volatile' => V::remember(...), 'pool' => $pool->remember(...), 'apcu' => fn($key, $compute) => apcu_entry($key, $compute)] as $name => $r) {
    $call = $remember($name, $r);
    both($name, fn() => is_array($call("$name a", "$name b")), fn() => is_array($call("$name b", "$name a")));
}
both('session',
    function () {
        session_id('one');
        session_start();
        meet('session');
        while (!V::get('computing')) usleep(100);
        return V::remember('page', fn() => 'computed with the session');
    },
    fn() => V::remember('page', function () {
        V::set('computing', true);
        meet('session');
        session_id('one');
        return session_start();
    }) === true ? 'computed with the session' : 'no session');
echo "end\n";
--EXPECT--
volatile: true
volatile: true
pool: true
pool: true
apcu: true
apcu: true
session: "computed with the session"
session: "computed with the session"
end
