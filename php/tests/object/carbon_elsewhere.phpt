--TEST--
larder: object: a date of Carbon's that is fetched by another process, in another request, not held, or for want of memory
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP');
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--INI--
larder.form=ready
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
/* LARDER_FETCHES: how often each value is fetched. */
use Carbon\{Calls, Carbon, CarbonImmutable};
use Larder\VolatileCache;

require __DIR__ . '/../include/fake_carbon.php';
require __DIR__ . '/../include/server.php';
function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { try { $run(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } gc_collect_cycles(); exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
function all(array $got): string { return implode(' ', array_map(fn($one) => $one->format('m-d H:i:s.u T') . ($one->ownsId() ? '' : ' not its id'), $got)); }

echo "the class is another one in another process\n";
$changed = function (string $what, string $new) {
    child(function () { eval('namespace Carbon; class Moved extends Carbon {}'); VolatileCache::set('k', array_map(fn($i) => new \Carbon\Moved("2024-01-0$i 12:00:00.25", 'EST'), [1, 2, 3])); });
    child(function () use ($what, $new) {
        echo str_pad("$what: ", 24);
        eval("namespace Carbon; $new");
        Calls::text();
        $got = VolatileCache::get('k', 'a miss');
        echo is_array($got) ? (method_exists($got[0], 'ownsId') ? all($got) : json_encode($got)) : $got, ', ', Calls::text(), "\n";
    });
};
$changed('the same', 'class Moved extends Carbon {}');
$changed('immutable', 'class Moved extends CarbonImmutable {}');
$changed('a day later', 'class Moved extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); $this->modify("+1 day"); } }');
$changed('without its interface', 'class Moved extends \DateTime { use Hooks; }');
$changed('no date', 'class Moved { public $got; function __serialize(): array { return []; } function __unserialize(array $data): void { $this->got = $data; } }');
$changed('throws', 'class Moved extends Carbon { public function __unserialize(array $data): void { throw new \Exception("refused"); } }');
$changed('with a destructor', 'class Moved extends Carbon { function __destruct() {} }');
$changed('without hooks', 'class Moved { public $x; }');
$changed('gone', '');
child(function () { spl_autoload_register(function ($class) { echo "loads $class, "; VolatileCache::get('k'); eval('namespace Carbon; class Moved extends Carbon {}'); }); echo all(VolatileCache::get('k')), ', ', Calls::text(), "\n"; });

echo "in other requests\n";
$ask = server('require "' . __DIR__ . '/../include/fake_carbon.php";' . <<<'CODE'
/* Each request declares another class with this name. Larder must not use what it has learnt about the class of an earlier request. */
$later = $n % 2 ? '' : 'public function __unserialize(array $data): void { parent::__unserialize($data); $this->modify("+1 day"); }';
eval("namespace Carbon; class Day extends Carbon { $later }");
$days = [new Carbon\Day('2024-01-01', 'UTC'), new Carbon\Day('2024-01-02', 'UTC')];
VolatileCache::set('k', $days);
echo implode(' ', array_map(fn($day) => $day->format('j'), VolatileCache::get('k'))), ', ', Carbon\Calls::text();
CODE);
for ($n = 1; $n <= 4; $n++) echo $ask($n), "\n";

echo "not held\n";
$values = ['days' => array_map(fn($i) => new Carbon("2024-01-0$i 12:00", 'Europe/Paris'), [1, 2, 3]), 'among others' => [new ArrayObject([new CarbonImmutable('2024-01-01', '+01:00')]), 'text' => str_repeat('x', 100), new Carbon('2024-01-05', 'UTC')]];
$fill = hold_all_that_a_request_may(...);
foreach ($values as $key => $value) child(function () use ($key, $value, $fill) {
    $held = $fill();
    VolatileCache::set($key, $value);
    $wanted = serialize($value);
    Calls::text();
    $got = VolatileCache::get($key);
    $again = VolatileCache::get($key);
    echo $key, ' ', Calls::text();
    VolatileCache::clear();
    for ($i = 0; $i < 300; $i++) VolatileCache::set("over $i", str_repeat('overwritten', 9000));
    echo serialize($got) === $wanted && serialize($again) === $wanted ? '' : ' differs', "\n";
});
child(function () use ($fill) {
    /* The hook of an object clears the cache and overwrites the block of the entry. Then the hooks of the next objects run. */
    eval('namespace Carbon; class Churns extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); \Larder\VolatileCache::clear(); for ($i = 0; $i < 300; $i++) \Larder\VolatileCache::set("over $i", str_repeat("overwritten", 9000)); $this->translate("fr"); } }');
    $held = $fill();
    VolatileCache::set('k', array_map(fn($i) => new \Carbon\Churns("2024-01-0$i 12:00", 'Europe/Paris'), [1, 2, 3]));
    echo all(VolatileCache::get('k')), ', ', Calls::text(), "\n";
});

echo "memory\n";
$times = (int) (getenv('LARDER_FETCHES') ?: 1000);
$values['slots'] = [(new Carbon('2024-01-01', 'UTC'))->translate('fr'), new Carbon('2024-01-01', 'UTC'), new CarbonImmutable('2024-01-01 12:00:00.5', 'EST')];
$values['shared'] = array_fill(0, 3, new Carbon('2024-10-27 02:30', 'Europe/Paris'));
child(function () use ($values, $times) {
    foreach ($values as $key => $value) {
        $run = function (int $n) use ($key, $value) { for ($i = 0; $i < $n; $i++) { VolatileCache::set($key, $value); $got = VolatileCache::get($key); } unset($got); gc_collect_cycles(); return memory_get_usage(); };
        $run(100);
        $before = $run(100);
        if (($grown = $run($times) - $before) !== 0) echo "$key: $grown bytes\n";
    }
});
child(fn() => VolatileCache::set('k', array_map(fn($i) => new Carbon('@' . $i * 86400 + 1), range(1, 40000))));
$ended = [];
for ($mb = 1; $mb <= 40; $mb += 3) {
    if (($pid = pcntl_fork()) === 0) {
        ini_set('display_errors', '0'); ini_set('log_errors', '0'); fclose(STDERR);
        register_shutdown_function(function () { ini_set('memory_limit', '256M'); $got = VolatileCache::get('k'); if (count($got) !== 40000 || !$got[39999]->ownsId()) exit(7); });
        VolatileCache::set('one', new Carbon('@1')); VolatileCache::get($mb % 2 ? 'one' : 'none'); // in half of the tries, the process knows the class already
        ini_set('memory_limit', memory_get_usage(true) + ($mb << 20));
        VolatileCache::get('k');
        exit(0);
    }
    pcntl_waitpid($pid, $s);
    $ended[pcntl_wifsignaled($s) ? 'signal ' . pcntl_wtermsig($s) : 'exit ' . pcntl_wexitstatus($s)] = true;
}
ksort($ended);
echo implode(', ', array_keys($ended)), "\n";
--EXPECT--
the class is another one in another process
the same:               01-01 12:00:00.250000 EST 01-02 12:00:00.250000 EST 01-03 12:00:00.250000 EST, told 0 restored 1
immutable:              a miss, told 0 restored 0
a day later:            01-02 12:00:00.250000 EST 01-03 12:00:00.250000 EST 01-04 12:00:00.250000 EST, told 0 restored 3
without its interface:  a miss, told 0 restored 0
no date:                a miss, told 0 restored 0
throws:                 Exception: refused
with a destructor:      01-01 12:00:00.250000 EST 01-02 12:00:00.250000 EST 01-03 12:00:00.250000 EST, told 0 restored 3
without hooks:          a miss, told 0 restored 0
gone:                   a miss, told 0 restored 0
loads Carbon\Moved, 01-01 12:00:00.250000 EST 01-02 12:00:00.250000 EST 01-03 12:00:00.250000 EST, told 0 restored 1
in other requests
1 2, told 1 restored 1
2 3, told 1 restored 2
1 2, told 1 restored 1
2 3, told 1 restored 2
not held
days told 0 restored 1
among others told 0 restored 2
01-01 12:00:00.000000 CET 01-02 12:00:00.000000 CET 01-03 12:00:00.000000 CET, told 1 restored 3
memory
exit 0, exit 255
