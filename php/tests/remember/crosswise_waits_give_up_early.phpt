--TEST--
larder: remember: calls that want one another's keys, or a session that the other one has, do not wait until they give up
--EXTENSIONS--
larder
pcntl
session
--INI--
session.save_handler=larder
session.use_cookies=0
session.use_strict_mode=0
session.cache_limiter=
larder.session_lock_wait=-1
larder.compat=apcu
apc.enable_cli=1
--FILE--
<?php
use Larder\VolatileCache as V;

ob_start();
/* Each process waits here for the other one. */
function meet(string $where): void
{
    V::increment($where);
    while (V::get($where) < 2) usleep(100);
}
/* Runs two functions at once, in two processes. $make gets the beginning of the keys, and returns the functions. The result is "waited" if
 * all five tries take 9 s: two processes that wait for each other need 10 s each time, but a stall of the machine delays only one try. */
function both(string $name, callable $make): void
{
    for ($try = 1; $try <= 5; $try++) {
        $start = hrtime(true);
        foreach ($make("$name $try") as $run) {
            if (pcntl_fork() !== 0) continue;
            ob_end_clean();
            V::set("$name $try " . getmypid(), $run());
            exit(0);
        }
        for ($got = []; ($pid = pcntl_wait($status)) > 0;) $got[] = V::get("$name $try $pid");
        if (hrtime(true) - $start < 9e9) break;
    }
    echo "$name: ", json_encode($got), $try > 5 ? " waited\n" : "\n";
}
$pool = V::pool('a pool');
$remember = fn(string $where, callable $r) => fn(string $own, string $other) => $r($own, function () use ($where, $own, $other, $r) {
    meet($where);
    return [$own => $r($other, fn() => $other)];
});
foreach (['volatile' => V::remember(...), 'pool' => $pool->remember(...), 'apcu' => fn($key, $compute) => apcu_entry($key, $compute)] as $name => $r) {
    both($name, function (string $where) use ($remember, $r) {
        $call = $remember($where, $r);
        return [fn() => is_array($call("$where a", "$where b")), fn() => is_array($call("$where b", "$where a"))];
    });
}
both('session', fn(string $where) => [
    function () use ($where) {
        session_id(strtr($where, ' ', '-'));
        session_start();
        meet($where);
        while (!V::get("$where computing")) usleep(100);
        return V::remember("$where page", fn() => 'computed with the session');
    },
    fn() => V::remember("$where page", function () use ($where) {
        V::set("$where computing", true);
        meet($where);
        session_id(strtr($where, ' ', '-'));
        return session_start();
    }) === true ? 'computed with the session' : 'no session',
]);
echo "end\n";
--EXPECT--
volatile: [true,true]
pool: [true,true]
apcu: [true,true]
session: ["computed with the session","computed with the session"]
end
