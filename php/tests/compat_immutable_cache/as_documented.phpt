--TEST--
larder: immutable_cache: 50,000 random calls give what the documentation of immutable_cache says
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
if (ini_get('opcache.enable_cli')) die('skip what it runs is without opcache: once is enough');
?>
--FILE--
<?php
/* Makes random calls, and compares each result with the result of a model. */
$script = <<<'PHP'
class Point { public ?Point $next = null; public function __construct(public int $x) {} }
final class Holder { public function __construct(public mixed $held) {} }
/* A model of what is documented: an added entry never changes, and a fetch returns the result of unserialize(serialize()). */
final class Model
{
    public array $entries = [];
    public array $said = [];
    /**
     * Returns the value's text. Returns null, with a warning, if a resource comes before all objects and references. Throws if
     * serialize() throws.
     */
    private function text(mixed $value): ?string
    {
        if (!$this->compact || is_resource($value)) {
            $walk = function (mixed $v) use (&$walk): ?bool { if (is_resource($v)) return true; if (is_object($v)) return false; if (is_array($v)) foreach (array_keys($v) as $k) { if (ReflectionReference::fromArrayElement($v, $k)) return false; $r = $walk($v[$k]); if ($r !== null) return $r; } return null; };
            if ($walk($value)) { $this->said[] = 'immutable_cache_add(): Cannot store resources in immutable_cache cache'; return null; }
        }
        return serialize($value);
    }
    public function __construct(private bool $compact) {}
    private function one(string $key, mixed $value): bool
    {
        if (isset($this->entries["k$key"])) return false;
        $text = $this->text($value);
        if ($text !== null) $this->entries["k$key"] = $text;
        return $text !== null;
    }
    public function add(mixed $key, mixed ...$value): mixed
    {
        if (is_array($key)) {
            $failed = []; $thrown = null;
            foreach ($key as $k => $v) try { if (!$this->one((string) $k, $v)) $failed[$k] = -1; } catch (Exception $e) { $thrown = $e; }
            return $thrown ? throw $thrown : $failed;
        }
        if (!is_string($key)) { $this->said[] = 'immutable_cache_add(): immutable_cache_store expects key parameter to be a string or an array of key/value pairs.'; return false; }
        return $value !== [] && $this->one($key, $value[0]);
    }
    public function fetch(mixed $key, mixed &$success): mixed
    {
        if (is_array($key)) { $success = true; return array_map(fn($k) => unserialize($this->entries["k$k"]), $this->found($key, 'fetch')); }
        $success = isset($this->entries['k' . (string) $key]);
        return $success ? unserialize($this->entries['k' . (string) $key]) : false;
    }
    private function found(array $keys, string $who): array
    {
        $found = [];
        foreach ($keys as $k) if (!is_string($k)) $this->said[] = "immutable_cache_$who(): immutable_cache_$who() expects a string or array of strings."; elseif (isset($this->entries["k$k"])) $found[$k] = $k;
        return $found;
    }
    public function exists(mixed $key): array|bool { return is_array($key) ? array_map(fn() => true, $this->found($key, 'exists')) : isset($this->entries['k' . (string) $key]); }
    public function iterate(string|array|null $search): array
    {
        $found = [];
        foreach ($this->entries as $k => $text) { $k = substr($k, 1); if (is_array($search) ? in_array($k, $search, true) : ($search === null || preg_match($search, $k))) $found[$k] = ['type' => 'user', 'key' => $k, 'value' => unserialize($text)]; }
        ksort($found, SORT_STRING); return $found;
    }
}
$model = new Model((bool) $argv[2]);
$said = [];
set_error_handler(function (int $level, string $text) use (&$said) { $said[] = $text; return true; });
mt_srand((int) $argv[1]);
$number = 0;
/* Returns a key that exists, a new key, or an unusual one. */
$key = function () use (&$number) { return match (mt_rand(0, 9)) { 0 => ['', "\0", "\0\0", "\0a", "a\0b", '5', '-3', '05', str_repeat('k', 300)][mt_rand(0, 8)], 1, 2, 3 => 'k' . $number++, default => 'k' . mt_rand(0, max(1, $number)) }; };
$keyed = fn() => mt_rand(0, 19) ? $key() : [null, true, 1.5, 5][mt_rand(0, 3)];
$list = fn() => array_map(fn() => mt_rand(0, 29) ? $key() : [5, null][mt_rand(0, 1)], range(0, mt_rand(0, 4)));
$shaped = function (array $a): array { for ($n = mt_rand(0, 3); $n > 0; $n--) unset($a[array_rand($a)]); if (mt_rand(0, 1)) array_pop($a); for ($n = mt_rand(0, 3); $n > 0; $n--) next($a); return $a; };
$bad = fn() => match (mt_rand(0, 8)) { 0 => fn() => 1, 1 => [1, [fn() => 1]], 2 => new Holder(fn() => 1), 3 => STDIN, 4 => [[STDIN], 2], 5 => ['x' => new Holder(STDIN)], 6 => [new Point(1), STDIN], 7 => [(function () { yield 1; })()], 8 => [STDIN, fn() => 1] };
$value = function () use ($bad, $shaped) { $r = mt_rand(0, 9); return mt_rand(0, 14) === 0 ? $bad() : match (mt_rand(0, 12)) { 12 => ['r' => &$r, 's' => &$r], 10 => $shaped(range(0, mt_rand(5, 20))), 11 => ['in' => $shaped(['x' => 1, 'y' => 2, 7 => 3, -2 => 4, 12 => 5])], 0 => null, 1 => mt_rand(0, 1) === 1, 2 => mt_rand(0, 5) / 2, 3 => str_repeat('s', mt_rand(0, 300)), 4 => range(0, mt_rand(0, 50)), 5 => ['x' => ['y' => mt_rand()]], 6 => new Point(mt_rand(0, 9)), default => mt_rand(-3, 3) }; };
$several = function () use ($key, $value) { $values = []; for ($n = mt_rand(0, 4); $n >= 0; $n--) $values[$key()] = $value(); return $values; };
$try = function (callable $call) { try { return $call(); } catch (Throwable $e) { return get_class($e) . ': ' . $e->getMessage(); } };
$state = function ($v) { if (!is_array($v)) return null; $k = key($v); $v[] = 1; return [$k, array_key_last($v)]; };
for ($i = 0; $i < 5000; $i++) {
    $said = $model->said = []; $s = $t = 'unset';
    switch ($what = mt_rand(0, 9)) {
        case 0: case 1: $a = $keyed(); $v = $value(); $got = $try(fn() => immutable_cache_add($a, $v)); $want = $try(fn() => $model->add($a, $v)); break;
        case 2: $a = $several(); $got = $try(fn() => immutable_cache_add($a)); $want = $try(fn() => $model->add($a)); break;
        case 3: case 4: $a = $keyed(); $got = immutable_cache_fetch($a, $s); $want = $model->fetch($a, $t); break;
        case 5: $a = $list(); $got = immutable_cache_fetch($a, $s); $want = $model->fetch($a, $t); break;
        case 6: $a = $keyed(); $got = immutable_cache_exists($a); $want = $model->exists($a); break;
        case 7: $a = $list(); $got = immutable_cache_exists($a); $want = $model->exists($a); break;
        case 8: $a = $key(); $got = [immutable_cache_key_info($a) !== null, immutable_cache_cache_info(true)['num_entries'], immutable_cache_add($a)]; $want = [$model->exists($a), count($model->entries), false]; break;
        case 9: if (mt_rand(0, 19)) continue 2; $a = [null, '/^.?[ab5\0]/', '/k1/', ['', "\0", 'k1', 'k2', '5']][mt_rand(0, 3)];
            $got = iterator_to_array(new ImmutableCacheIterator($a, IMMUTABLE_CACHE_ITER_KEY | IMMUTABLE_CACHE_ITER_VALUE | IMMUTABLE_CACHE_ITER_TYPE)); ksort($got, SORT_STRING); $want = $model->iterate($a);
            $s = (new ImmutableCacheIterator($a))->getTotalCount(); $t = count($want); break;
    }
    $one = fn($got, $said, $s) => serialize([$got, $said, $s, in_array($what, [3, 4]) ? $state($got) : null, $what === 5 ? array_map($state, $got) : null]);
    if ($one($got, $said, $s) !== $one($want, $model->said, $t)) { echo "call $i, $what: "; var_dump($a, $got, $said, $s); echo 'documented: '; var_dump($want, $model->said, $t); exit; }
}
echo "the same\n";
PHP;
$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, "<?php $script");
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d extension=' . escapeshellarg($so) . ' -d larder.compat=immutable_cache';
for ($seed = 1; $seed <= 10; $seed++) echo shell_exec("$php $file $seed 0 </dev/null 2>&1");
echo 'compact: ', shell_exec("$php -d immutable_cache.serializer=php $file 11 1 </dev/null 2>&1");
unlink($file);
--EXPECT--
the same
the same
the same
the same
the same
the same
the same
the same
the same
the same
compact: the same
