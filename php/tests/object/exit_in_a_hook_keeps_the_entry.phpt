--TEST--
larder: object: exit, a fatal error and the memory limit inside hooks and inside a fetch: the entry stays, others go on
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP');
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

class Node { public $next; public $list; function __destruct() { if (self::$tell) echo 'destructor '; } static $tell = false; }
class Hooked { static $end; public $v = 1; function __serialize(): array { $this->end('write'); return ['v' => $this->v]; } function __unserialize(array $d): void { $this->v = $d['v']; $this->end('read'); } function end($hook) { if (self::$end) (self::$end)($hook); } }
class Sleeper { public $v; function __sleep() { (new Hooked)->end('write'); return ['v']; } function __wakeup() { (new Hooked)->end('read'); } }
/* Runs code in a child, and prints how it ended. A child that needs more than twice the memory limit may end at once, with exit code
 * 137. */
function child(Closure $run): void {
    if (($pid = pcntl_fork()) === 0) { ini_set('display_errors', '0'); ini_set('log_errors', '0'); fclose(STDERR); $run(); echo "went on\n"; exit; }
    pcntl_waitpid($pid, $s);
    echo pcntl_wifsignaled($s) ? 'signal ' . pcntl_wtermsig($s) : (in_array(pcntl_wexitstatus($s), [255, 137]) ? 'fatal' : 'exit ' . pcntl_wexitstatus($s)), "\n";
}
$ends = ['exit' => fn() => exit(3), 'fatal' => fn() => eval('function strlen() {}'), 'memory' => function () { ini_set('memory_limit', '32M'); $s = str_repeat('x', 1 << 29); }];
foreach ([[new Node, new Hooked, new Hooked], [new Node, new Sleeper, new Sleeper]] as $value) foreach ($ends as $name => $end) foreach (['write', 'read'] as $when) {
    Hooked::$end = null;
    VolatileCache::set('k', $value);
    echo get_class($value[1]), " $when $name: ";
    child(function () use ($value, $end, $when) { $n = 0; Hooked::$end = function ($hook) use ($end, $when, &$n) { if ($hook === $when && ++$n === 2) $end(); }; Node::$tell = true; $when === 'write' ? VolatileCache::set('k', $value) : VolatileCache::get('k'); });
    Hooked::$end = null;
    $got = VolatileCache::get('k');
    if (get_class($got[2]) !== get_class($value[2]) || !VolatileCache::set('k', 1)) echo "broken\n";
}
echo "a fetch that does not fit\n";
child(function () { ini_set('memory_limit', '-1'); $r = 5; for ($i = 0, $n = null; $i < 15000; $i++) { $m = new Node; $m->next = $n; $m->list = [$i, $m, 'x' => [$n, 'text']]; if ($i % 100 === 0) { $m->list['hooked'] = new Hooked; $m->list['r'] = &$r; $m->list['d'] = (object) ['n' => $m]; } $n = $m; } var_dump(VolatileCache::set('big', $n)); exit(0); });
$ended = [];
for ($kb = 256; $kb <= 16384; $kb += 512) {
    if (($pid = pcntl_fork()) === 0) {
        ini_set('display_errors', '0'); ini_set('log_errors', '0'); fclose(STDERR);
        register_shutdown_function(function () { Node::$tell = false; ini_set('memory_limit', '-1'); if (VolatileCache::get('small')?->v !== 'small') exit(7); VolatileCache::set('small', VolatileCache::get('small')); });
        $h = new Hooked; $h->v = 'small'; VolatileCache::set('small', $h);
        ini_set('memory_limit', memory_get_usage(true) + $kb * 1024);
        $got = VolatileCache::get("big");
        Node::$tell = false;
        exit(0);
    }
    pcntl_waitpid($pid, $s);
    $end = pcntl_wifsignaled($s) ? 'signal ' . pcntl_wtermsig($s) : pcntl_wexitstatus($s);
    $ended[$end] = ($ended[$end] ?? 0) + 1;
}
ksort($ended);
var_dump(array_diff(array_keys($ended), [0, 255, 137]) === [], count($ended) > 1);
ini_set('memory_limit', '-1');
for ($got = VolatileCache::get('big'), $i = 0; $got; $got = $got->next) $i++;
var_dump($i);
--EXPECT--
Hooked write exit: destructor destructor exit 3
Hooked read exit: destructor destructor destructor destructor exit 3
Hooked write fatal: fatal
Hooked read fatal: fatal
Hooked write memory: fatal
Hooked read memory: fatal
Sleeper write exit: destructor destructor destructor exit 3
Sleeper read exit: destructor destructor destructor destructor exit 3
Sleeper write fatal: fatal
Sleeper read fatal: fatal
Sleeper write memory: fatal
Sleeper read memory: fatal
a fetch that does not fit
bool(true)
exit 0
bool(true)
bool(true)
int(15000)
