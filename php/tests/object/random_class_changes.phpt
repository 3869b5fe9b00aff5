--TEST--
larder: object: random values whose classes change between writer and reader are what unserialize() gives, or a miss
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
if (intdiv(PHP_VERSION_ID, 100) === 805 && ini_get('opcache.enable_cli') && !in_array(ini_get('opcache.jit'), ['off', 'disable'])) die('skip the JIT of PHP 8.5 crashes in it, with serialize() in place of Larder, too');
?>
--INI--
memory_limit=1G
error_reporting=E_ALL & ~E_DEPRECATED & ~E_WARNING & ~E_NOTICE
date.timezone=UTC
opcache.memory_consumption=512
--FILE--
<?php
/* LARDER_CLASSES: number of values; LARDER_SEED: the seed of the first value. */
use Larder\VolatileCache;
use Larder\PinnedCache;

require __DIR__ . '/../include/random_graph.php';
require __DIR__ . '/../include/random_classes.php';
const BATCH = 25;

function child(Closure $run): int {
    if (($pid = pcntl_fork()) === 0) {
        if (PHP_DEBUG) { fclose(STDERR); $null = fopen('/dev/null', 'w'); } /* hides the messages of PHP's assertions: see the loop below */
        $run();
        gc_collect_cycles();
        exit(0);
    }
    pcntl_waitpid($pid, $status);
    return $status;
}
function right(int $status, array $seeds): void { $status === 0 || wrong($seeds[0], "a child of this and later seeds ended with status $status"); }
function wrong(int $seed, string $how): void { if (PinnedCache::increment('wrong') <= 5) echo "seed $seed: $how\n"; }
/* Loads the classes from a file, because opcache does not compile code for eval(). */
function load(array $models): void {
    $file = tempnam(sys_get_temp_dir(), 'larder-classes-');
    file_put_contents($file, "<?php\n" . implode(array_map(fn($model) => $model->code(), $models)));
    try { require $file; } finally { unlink($file); }
}
function write(int $seed, RandomClasses $model): void {
    $value = $model->value();
    try { $text = serialize($value); $before = unserialize($text); } catch (Throwable) { return; }
    if ($before === false) return;
    try { VolatileCache::set("v$seed", $value) || die("cannot store seed $seed\n"); } catch (Throwable $e) { wrong($seed, "cannot be stored: {$e->getMessage()}"); return; }
    VolatileCache::set("t$seed", $text);
}
function attempt(Closure $run): mixed { try { return $run(); } catch (Throwable $e) { return $e; } }
function read(int $seed, bool $changed, bool $plain): void {
    $text = VolatileCache::get("t$seed");
    if ($text === null) { PinnedCache::increment('skipped'); return; }
    $got = attempt(fn() => $plain ? unserialize($text) : VolatileCache::get("v$seed", 'a miss'));
    $wanted = attempt(fn() => unserialize($text));
    $refused = $wanted instanceof Throwable || $wanted === false;
    if ($got === 'a miss') {
        PinnedCache::increment($refused ? 'refused' : 'misses');
        $changed || $refused || wrong($seed, 'a miss though nothing has changed');
    } elseif ($got instanceof Throwable && !VolatileCache::has("v$seed")) {
        wrong($seed, 'gone');
    } elseif ($refused) {
        get_debug_type($got) === get_debug_type($wanted) ? PinnedCache::increment('refused') : wrong($seed, 'unserialize() refuses it: ' . (is_object($wanted) ? $wanted->getMessage() : 'false'));
    } elseif (dump($got) !== dump($wanted)) {
        wrong($seed, "differs:\n" . dump($wanted) . "\n" . dump($got));
    } else {
        PinnedCache::increment('hits');
        [$use, $wanted_use] = [used($got), used($wanted)];
        $use === $wanted_use || wrong($seed, "used: $use, unserialize()'s: $wanted_use");
    }
}
/* Uses the properties of a value, and returns the resulting error. Properties may have wrong types, because hooks of the engine, such as
 * ArrayObject::__unserialize(), do not check them. */
function used(mixed $value): string {
    try { random_classes_use($value); return 'no error'; } catch (Error $e) { return get_class($e) . ": {$e->getMessage()}"; }
}
/* Returns the value as a text. If the value contains a date that its hook has not restored, returns PHP's error message. */
function dump(mixed $value): string { return ($text = attempt(fn() => GraphDump::of($value))) instanceof Error ? $text->getMessage() : $text; }

$count = (int) (getenv('LARDER_CLASSES') ?: 400);
$first = (int) (getenv('LARDER_SEED') ?: random_int(1000, 1 << 30));
echo "random seeds start at $first\n";
foreach (['wrong', 'hits', 'misses', 'refused', 'skipped'] as $name) PinnedCache::set($name, 0);
foreach (array_chunk(range($first, $first + $count - 1), BATCH) as $seeds) {
    right(child(function () use ($seeds) {
        $models = array_map(fn($seed) => new RandomClasses($seed), $seeds);
        load($models);
        foreach ($seeds as $i => $seed) write($seed, $models[$i]);
    }), $seeds);
    $read = fn(bool $plain) => child(function () use ($seeds, $plain) {
        $models = array_map(fn($seed) => new RandomClasses($seed), $seeds);
        $changed = array_map(fn($model) => $model->change(), $models);
        load($models);
        foreach ($seeds as $i => $seed) read($seed, $changed[$i], $plain);
    });
    /* A debug build of PHP may abort when it uses objects of a changed class. Accept an abort that also occurs with unserialize() alone. */
    if (($status = $read(false)) !== 0 && !(PHP_DEBUG && $read(true) === $status)) right($status, $seeds);
    VolatileCache::clear();
}
foreach (['hits', 'misses', 'refused', 'skipped'] as $name) echo "$name ", PinnedCache::get($name), "\n";
var_dump(PinnedCache::get('wrong'), PinnedCache::get('hits') > $count / 20, PinnedCache::get('misses') > $count / 20, PinnedCache::get('refused') > $count / 100);
--EXPECTF--
random seeds start at %d
hits %d
misses %d
refused %d
skipped %d
int(0)
bool(true)
bool(true)
bool(true)
