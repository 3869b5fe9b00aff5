<?php
/* objects.php - compares Larder with APCu: the CPU time of a get of objects, with and without the time to free the result, and of a set.
 *
 *   php bench/php/objects.php [--module=FILE] [--rounds=N] [--only=CASE,...] [--json=FILE]
 *   php bench/php/objects.php --leaks=N [--module=FILE] [--only=CASE,...]    fetches each case N times; exit code 1 if memory has grown
 *
 * Each system runs in a process of its own, with its extension and settings. Rounds are interleaved; figures are medians, with the time of
 * the loop (a few nanoseconds). */

declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED); // Carbon uses deprecated features
require dirname(__DIR__, 2) . '/php/tests/include/carbon.php';
require __DIR__ . '/conductor.php';
require __DIR__ . '/kinds.php';

const RUN_NS = 20e6;

/** The values of this case are freed only by PHP's cycle collector. A run of the collector takes longer than a get, so the get is also
 * measured without freeing the result. */
const CYCLIC = 'parents';

/** In these cases, the get is also measured with a change to each part of the value. The change makes PHP copy the shared parts. */
const CHANGED = ['entities', 'rows'];

/* ---- the stored values -------------------------------------------------------------------------- */

final class Address { public function __construct(public string $street, public string $city, public int $code) {} }
final class Customer { private array $tags = ['new', 'mail']; protected bool $active = true; public function __construct(public int $id, public string $name, public ?Address $address) {} }
class Tree { public ?Tree $left = null; public ?Tree $right = null; public function __construct(public int $value) {} }
final class Leafy { public array $children = []; public ?Leafy $parent = null; public function __construct(public string $name) {} }
final class Route { private ?string $host = null; private array $methods = ['GET', 'HEAD']; public function __construct(private string $path, private array $defaults, private array $requirements, private array $options) {} }
abstract class Definition { protected array $arguments = []; protected array $tags = []; protected bool $public = false; private array $changes = []; public function __construct(protected string $id) {} public function add(mixed $argument, string $tag): void { $this->arguments[] = $argument; $this->tags[$tag][] = ['priority' => count($this->arguments)]; $this->changes[$tag] = true; } }
final class Service extends Definition { private ?string $factory = null; protected string $class = Service::class; }
final class Alias { public function __construct(public string $id) {} }
enum Scope: string { case Single = 'single'; case Fresh = 'fresh'; }
final class Mapping { public array $fields = []; public array $associations = []; public Scope $scope = Scope::Single; public function __construct(public string $name) {} }
class Sleeping { private array $data; private ?object $connection = null; protected string $table = 'entities'; public function __construct(public int $id) { $this->data = ['id' => $id, 'title' => "title $id", 'body' => str_repeat('text ', 20)]; } public function __sleep(): array { return ['id', 'data', 'table']; } }
final class Restored { private array $data; protected string $table = 'entities'; public function __construct(public int $id) { $this->data = ['id' => $id, 'title' => "title $id"]; } public function __unserialize(array $data): void { foreach ($data as $name => $value) { $this->{ltrim(strrchr("\0$name", "\0"), "\0")} = $value; } } }
final class Linked { public ?Linked $next = null; public array $shared = []; public function __construct(public int $id) {} }
final readonly class Setting { public function __construct(public string $name, public int|string|bool $value, public array $allowed, public ?Setting $parent) {} }

function tree(int $nodes, int $from = 1): Tree
{
    $tree = new Tree($from);
    $left = intdiv($nodes - 1, 2);
    $tree->left = $left > 0 ? tree($left, $from + 1) : null;
    $tree->right = $nodes - 1 - $left > 0 ? tree($nodes - 1 - $left, $from + 1 + $left) : null;
    return $tree;
}

/** Make a tree of branches and leaves. If $parents is true, each node also refers to its parent. */
function leafy(int $branches, int $leaves, bool $parents): Leafy
{
    $root = new Leafy('root');
    for ($i = 0; $i < $branches; $i++) {
        $root->children[] = $branch = new Leafy("branch $i");
        $branch->parent = $parents ? $root : null;
        for ($j = 0; $j < $leaves; $j++) {
            $branch->children[] = $leaf = new Leafy("leaf $j");
            $leaf->parent = $parents ? $branch : null;
        }
    }
    return $root;
}

function services(): array
{
    $all = [];
    for ($i = 0; $i < 96; $i++) {
        $service = new Service("service.$i");
        $mapping = new Mapping("Entity$i");
        foreach (['id', 'name', 'created'] as $field) {
            $mapping->fields[$field] = ['type' => $field === 'id' ? 'integer' : 'string', 'nullable' => false, 'length' => 255, 'scope' => Scope::Fresh];
        }
        $mapping->associations['previous'] = $all === [] ? null : end($all)['mapping'];
        $service->add(new Alias('service.' . ($i + 1) % 96), 'kernel.listener');
        $service->add($mapping, 'doctrine.entity');
        $all["service.$i"] = ['definition' => $service, 'mapping' => $mapping];
    }
    return $all;
}

function settings(): array
{
    $all = [];
    for ($i = 0; $i < 2000; $i++) {
        $all["setting.$i"] = new Setting("setting.$i", $i % 3 ? $i : "value $i", ['min' => 0, 'max' => 100], $all['setting.' . intdiv($i, 2)] ?? null);
    }
    return $all;
}

function collections(): array
{
    $storage = new SplObjectStorage();
    $queue = new SplQueue();
    $list = [];
    for ($i = 0; $i < 100; $i++) {
        $address = new Address("street $i", 'city', $i);
        $storage[$address] = $i;
        $queue[] = $address;
        $list[] = new ArrayObject(['address' => $address, 'i' => $i]);
    }
    return [$storage, $queue, $list, SplFixedArray::fromArray(range(1, 100))];
}

/** Make dates of Carbon. The hooks of these objects are PHP code. APCu calls the hooks of each object, Larder only those of the first one. */
function carbons(string $autoload): array
{
    require_once $autoload;
    return [100, array_map(fn(int $i) => new \Carbon\CarbonImmutable("2024-01-01 12:00 +$i days", 'Europe/Paris'), range(1, 100))];
}

/** Return the cases by name: the number of objects, and the value. */
function cases(): array
{
    $each = fn(int $n, callable $make) => [$n, array_map($make, range(1, $n))];
    return [
        'tiny' => [1, new Address('street', 'city', 5)],
        'entities' => [2000, array_map(fn(int $i) => new Customer($i, "customer $i", new Address("street $i", 'city', $i)), range(1, 1000))],
        'rows' => $each(1000, fn(int $i) => ['id' => $i, 'name' => "customer $i", 'street' => "street $i", 'active' => true]),
        'tree 8000' => [8000, tree(8000)],
        'tree 10000' => [10001, leafy(100, 99, false)],
        'parents' => [10001, leafy(100, 99, true)],
        'routes' => $each(64, fn(int $i) => new Route("/path/{id}/$i", ['_controller' => "App\\Controller\\C$i::show", '_locale' => 'en'], ['id' => '\d+', 'nested' => ['a' => [1, 2, 3], 'b' => "b$i"]], ['utf8' => true])),
        'metadata' => [96 * 3, services()],
        'sleep' => $each(100, fn(int $i) => new Sleeping($i)),
        'sleep few' => $each(5, fn(int $i) => new Sleeping($i)),
        'restored' => $each(100, fn(int $i) => new Restored($i)),
        'restored one' => [1, new Restored(1)],
        'list' => $each(1, function () { $list = new SplDoublyLinkedList(); array_map([$list, 'push'], range(1, 10)); return $list; }),
        'cycle one' => [1, (function () { $a = new Linked(1); $a->next = $a; return $a; })()],
        'references' => [1, (function () { $a = new Linked(1); $x = 'shared'; $a->shared = [&$x, &$x, 3]; return $a; })()],
        'DateTime' => $each(200, fn(int $i) => new DateTime('@' . $i * 86400)),
        'Immutable' => $each(200, fn(int $i) => new DateTimeImmutable('2024-01-01 Europe/Paris')),
        'zones' => $each(200, fn(int $i) => (new DateTimeImmutable('@' . $i * 8640123))->setTimezone(new DateTimeZone('Europe/Paris'))),
        'intervals' => $each(200, fn(int $i) => new DateInterval("P{$i}DT5M")),
        'periods' => $each(50, fn(int $i) => new DatePeriod(new DateTime('2024-01-01'), new DateInterval('P1D'), $i)),
        'ArrayObject' => $each(200, fn(int $i) => new ArrayObject(['id' => $i, 'name' => "name $i", 'tags' => null])),
        'fixed' => $each(100, fn(int $i) => SplFixedArray::fromArray(range($i, $i + 9))),
        'queues' => $each(100, function (int $i) { $queue = new SplQueue(); array_map([$queue, 'enqueue'], range($i, $i + 9)); return $queue; }),
        'SPL' => [203, collections()],
        'readonly' => [2000, settings()],
    ] + array_map(fn(object $value) => [1, $value], array_filter(Kinds\kinds(), is_object(...)))
        + ['100 with __sleep' => [100, Kinds\kinds()['100 with __sleep']], 'array with hooks' => [3, Kinds\kinds()['array with hooks']]]
        + (($carbon = carbon_autoload()) === null ? [] : ['Carbon' => carbons($carbon)]);
}

/* ---- one system's process ----------------------------------------------------------------------- */

function changed(array $all): array
{
    foreach ($all as $i => $one) {
        is_object($one) ? $one->id++ : $all[$i]['id']++;
    }
    return $all;
}

/** Return the nanoseconds per call of $n calls. Checks the fetched value. */
function measure(string $kind, callable $run, int $n, string $key, mixed $value): float
{
    static $texts = [];
    $start = cpu();
    $v = $run($n, $key, $value);
    $spent = cpu() - $start;
    if ($kind === 'alone') {
        [$v, $spent] = $v;
    }
    $texts[$kind][$key] ??= serialize($kind === 'change' ? changed(unserialize(serialize($value))) : $value);
    if ($kind === 'set' ? $v !== true : serialize($v) !== $texts[$kind][$key]) {
        throw new RuntimeException("$kind $key gave a wrong value");
    }
    return $spent / $n;
}

/** Read lines "KIND CASE", and answer each with nanoseconds. */
function serve(string $system): void
{
    pin(0);
    gc_disable(); // The loops below call gc_collect_cycles() at fixed places, because fetched values may be cyclic.
    [$get, $set] = $system === 'larder' ? ['\Larder\VolatileCache::get($key)', '\Larder\VolatileCache::set($key, $value)'] : ['apcu_fetch($key)', 'apcu_store($key, $value)'];
    $runs = [
        'get' => eval("return function (\$n, \$key, \$value) { for (\$i = 0; \$i < \$n; \$i++) { \$v = null; \$v = $get; } return \$v; };"),
        'cycles' => eval("return function (\$n, \$key, \$value) { for (\$i = 0; \$i < \$n; \$i++) { \$v = null; gc_collect_cycles(); \$v = $get; } return \$v; };"),
        'alone' => eval("return function (\$n, \$key, \$value) { \$spent = 0.0; for (\$i = 0; \$i < \$n; \$i++) { \$v = null; gc_collect_cycles(); \$start = cpu(); \$v = $get; \$spent += cpu() - \$start; } return [\$v, \$spent]; };"),
        'change' => eval("return function (\$n, \$key, \$value) { for (\$i = 0; \$i < \$n; \$i++) { \$v = null; \$v = $get; \$v = changed(\$v); } return \$v; };"),
        'set' => eval("return function (\$n, \$key, \$value) { for (\$i = 0; \$i < \$n; \$i++) { \$v = $set; } return \$v; };"),
    ];
    $cases = cases();
    foreach ($cases as $name => [, $value]) {
        $runs['set'](1, $name, $value) || throw new RuntimeException("$name does not fit");
    }
    $counts = [];
    echo "\"ready\"\n"; // JSON
    while (($line = fgets(STDIN)) !== false) {
        [$kind, $name] = explode(' ', trim($line), 2);
        $run = $runs[$kind === 'get' && $name === CYCLIC ? 'cycles' : $kind];
        if (!isset($counts[$line])) {
            measure($kind, $run, 2, $name, $cases[$name][1]);
            $counts[$line] = (int) max(3, min(200000, RUN_NS / max(1.0, measure($kind, $run, 5, $name, $cases[$name][1]))));
        }
        echo measure($kind, $run, $counts[$line], $name, $cases[$name][1]), "\n";
    }
}

/** Fetches each case $fetches times, and prints by how much memory has grown. Returns 1 if PHP's memory has grown by more than 4 KiB, or
 * the resident set by more than 4 MiB. */
function leaks(int $fetches, array $names): int
{
    gc_disable();
    $grown = 0;
    printf("%-24s%12s%24s%24s\n", 'case', 'fetches', 'memory_get_usage +', 'resident set +, KiB');
    foreach (cases() as $name => [, $value]) {
        if ($names !== [] && !in_array($name, $names, true)) {
            continue;
        }
        \Larder\VolatileCache::set($name, $value) || throw new RuntimeException("$name does not fit");
        foreach ([100, $fetches] as $round => $n) {
            for ($i = 0; $i < $n; $i++) {
                $got = null;
                $name === CYCLIC && gc_collect_cycles();
                $got = \Larder\VolatileCache::get($name);
            }
            serialize($got) === serialize($value) || throw new RuntimeException("$name gave a wrong value");
            $got = null;
            gc_collect_cycles();
            $after[$round] = [memory_get_usage(), resident_set()];
        }
        [$used, $set] = [$after[1][0] - $after[0][0], $after[1][1] - $after[0][1]];
        printf("%-24s%12d%24d%24d\n", $name, $fetches, $used, $set);
        $grown |= $used > 4096 || $set > 4096;
    }
    return (int) $grown;
}

/** Return the resident memory of this process in KiB. */
function resident_set(): int
{
    return preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $m) ? (int) $m[1] : 0;
}

/* ---- the conductor -------------------------------------------------------------------------------- */

function systems(array $options): array
{
    $module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
    $systems = there(['larder' => ["extension=$module", 'larder.volatile_size=256M'], ...apcu_systems('256M')]);
    return array_map(fn(array $settings): array => [...$settings, 'date.timezone=UTC'], $systems);
}

function table(array $figures, array $systems): void
{
    $objects = array_map(fn(array $case) => $case[0], cases());
    /* For objects, APCu's serializer "default" is the same as "php", so only print its times. */
    $others = array_values(array_intersect(['apcu php', 'apcu igbinary'], $systems));
    foreach (['get' => 'get and free', 'alone' => 'get alone', 'change' => 'get and change', 'set' => 'set'] as $kind => $title) {
        if (!isset($figures[$kind])) {
            continue;
        }
        printf("%-24s%8s", "CPU us for each $title", 'objects');
        foreach ($systems as $system) {
            printf(' %14s', $system);
        }
        echo "   larder ns/object   better APCu / larder\n";
        foreach ($figures[$kind] as $case => $by) {
            printf('%-24s%8d', $case, $objects[$case]);
            foreach ($systems as $system) {
                printf(' %14s', number_format($by[$system] / 1e3, 2));
            }
            $best = $others === [] ? NAN : min(array_map(fn($system) => $by[$system], $others));
            printf("   %16.1f   %20.2f\n", $by['larder'] / $objects[$case], $best / $by['larder']);
        }
        echo "\n";
    }
}

function conduct(array $options): void
{
    $samples = [];
    $rounds = (int) ($options['rounds'] ?? 7);
    $names = isset($options['only']) ? explode(',', $options['only']) : array_keys(cases());
    $systems = systems($options);
    rounds($rounds, __FILE__, $systems, function (array $workers) use (&$samples, $names): void {
        foreach (['get' => $names, 'alone' => array_intersect($names, [CYCLIC]), 'change' => array_intersect($names, CHANGED), 'set' => $names] as $kind => $cases) {
            foreach ($cases as $name) {
                foreach ($workers as $system => $worker) {
                    $samples[$kind][$name][$system][] = ask($worker, "$kind $name");
                }
            }
        }
    });
    $figures = array_map(fn($cases) => array_map(fn($by) => array_map('median', $by), $cases), $samples);
    table($figures, array_keys($systems));
    write_json($options['json'] ?? dirname(__DIR__, 2) . '/build/php/objects.json', [
        'bench' => 'php-objects', 'php' => PHP_VERSION, 'rounds' => $rounds, 'unit' => 'CPU ns per call, loop included, median',
        'objects' => array_map(fn(array $case) => $case[0], cases()), 'figures' => $figures, 'samples' => $samples,
    ]);
}

$options = getopt('', ['serve:', 'module:', 'rounds:', 'only:', 'json:', 'leaks:']);
if (isset($options['leaks'])) {
    if (!extension_loaded('larder')) {
        $module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
        passthru(escapeshellarg(PHP_BINARY) . " -n -d extension=$module -d larder.volatile_size=256M -d date.timezone=UTC -d memory_limit=1G " . implode(' ', array_map(escapeshellarg(...), $argv)), $status);
        exit($status);
    }
    exit(leaks((int) $options['leaks'], isset($options['only']) ? explode(',', $options['only']) : []));
}
isset($options['serve']) ? serve($options['serve']) : conduct($options);
