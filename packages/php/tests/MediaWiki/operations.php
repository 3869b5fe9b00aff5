<?php

/* run.php starts this as a script and in a web server. Compares LarderBagOStuff with HashBagOStuff (MediaWiki's cache in one process), and
 * LarderLCStore with the written texts. Prints the differences, and then "done". */

declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED);
const MEDIAWIKI = true, MW_ENTRY_POINT = 'cli';
$IP = '/usr/share/mediawiki';
require "$IP/includes/BootstrapHelperFunctions.php";
require "$IP/vendor/autoload.php";
require "$IP/includes/AutoLoader.php";
require_once "$IP/includes/Defines.php";
require_once "$IP/includes/GlobalFunctions.php";
spl_autoload_register(function (string $class): void {
    is_file($file = dirname(__DIR__, 2) . '/src' . strtr(substr($class, 6), '\\', '/') . '.php') && require $file;
});

/** @return array<string, mixed> the results of operations on this cache, by the name of the operation */
function operations(BagOStuff $cache): array
{
    $key = $cache->makeKey('collection', 'a:b%c', 5);
    $seen = ['keys' => [$key, $cache->makeGlobalKey('collection', 'x y')]];
    $seen['one value'] = [$cache->get($key), $cache->set($key, 1), $cache->get($key), $cache->add($key, 2), $cache->delete($key), $cache->delete($key), $cache->add($key, 2), $cache->get($key)];
    foreach ([null, true, 1.5, "\0", [1, ['a' => null]], str_repeat('x', 1 << 20)] as $value) {
        $seen['values'][] = [$cache->set($key, $value), $cache->get($key) === $value];
    }
    $cache->delete($key);
    $append = fn($cache, $key, $old) => $old . '+';
    $seen['merge'] = [$cache->merge($key, $append, 5), $cache->merge($key, $append, 5), $cache->get($key), $cache->merge($key, fn() => false, 5), $cache->get($key)];
    $tries = 0;
    $seen['a merge that others disturb'] = [$cache->merge($key, function ($cache, $key, $old) use (&$tries): string {
        $tries++ || $cache->set($key, 'other');
        return "$old-";
    }), $cache->get($key), $tries];
    $increment = function ($cache, $key, object $old): object {
        $old->list[] = ++$old->n;
        return $old;
    };
    $seen['merge changes the object itself'] = [$cache->set("$key o", (object) ['n' => 1, 'list' => []]), $cache->merge("$key o", $increment), $cache->merge("$key o", $increment), $cache->get("$key o")];
    $seen['times'] = [$cache->changeTTL("$key none", 15), $cache->changeTTL($key, 60), $cache->get($key), $cache->changeTTL($key, time() + 3600), $cache->get($key), $cache->changeTTL($key, -10), $cache->get($key)];
    $seen['times that are strings or floats'] = [$cache->set("$key s", 1, '60'), $cache->get("$key s"), $cache->add("$key t", 1, '60'), $cache->changeTTL("$key s", '60'), $cache->incrWithInit("$key u", '60'), $cache->set("$key v", 1, 60.5), $cache->get("$key v")];
    $seen['what has ended'] = [$cache->set($key, 1), $cache->set($key, 2, -5), $cache->get($key), $cache->add($key, 3, -5), $cache->get($key), $cache->set($key, 4, 0), $cache->get($key)];
    $seen['many'] = [$cache->setMulti(["$key 1" => 1, "$key 2" => 2]), $cache->getMulti(["$key 1", "$key 2", "$key 3"]), $cache->deleteMulti(["$key 1", "$key 2"]), $cache->getMulti(["$key 1"])];
    $seen['counters'] = [$cache->incrWithInit("$key n", 60), $cache->incrWithInit("$key n", 60), $cache->incrWithInit("$key n", 60, 2, 3), $cache->incrWithInit("$key m", 60, 2, 3), $cache->get("$key n"), $cache->get("$key m")];
    $seen['keys that are ints'] = [$cache->setMulti(['5' => 'five']), $cache->get(5), $cache->get('5'), $cache->add(5, 0), $cache->incrWithInit(6, 60), $cache->getMulti([5, '6', 7]), $cache->delete(5), $cache->get(5)];
    $seen['locks'] = [$cache->lock($key, 0), $cache->lock($key, 0), $cache->unlock($key), $cache->lock($key, 0, 6, 'class'), $cache->lock($key, 0, 6, 'class'), $cache->unlock($key), $cache->unlock($key), $cache->unlock($key)];
    $seen['computed'] = [$cache->getWithSetCallback("$key c", 60, fn() => 'value'), $cache->getWithSetCallback("$key c", 60, fn() => 'other')];
    return $seen;
}

$parameters = ['keyspace' => 'wiki', 'segmentationSize' => INF];
$expected = operations(new HashBagOStuff($parameters));
foreach (operations(new Larder\MediaWiki\LarderBagOStuff($parameters)) as $what => $actual) {
    serialize($expected[$what]) === serialize($actual) || print("$what: " . json_encode($actual) . ', not ' . json_encode($expected[$what]) . "\n");
}

/** Stands for the database: an array that all objects share. */
final class LCStoreDB implements LCStore
{
    public static array $texts = [];
    public static bool $readOnly = false;
    public static int $reads = 0;
    private array $written = [];
    private string $code = '';

    public function get($code, $key)
    {
        self::$reads++;
        return isset(self::$texts[$code][$key]) ? unserialize(self::$texts[$code][$key]) : null;
    }

    public function startWrite($code)
    {
        [$this->code, $this->written] = [$code, []];
    }

    public function finishWrite()
    {
        self::$readOnly || self::$texts[$this->code] = $this->written;
    }

    public function set($key, $value)
    {
        $this->written[$key] = serialize($value);
    }
}

/** Builds a language as MediaWiki does. */
function build(LCStore $store, string $code, string $text): void
{
    $store->startWrite($code);
    foreach (['deps' => ['file' => (object) ['time' => $text]], 'messages:hello' => "hello $text", 'list' => ['messages' => ['hello']], 'rtl' => false, 'none' => null] as $key => $value) {
        $store->set($key, $value);
    }
    $store->finishWrite();
}

/** @return array<string, mixed> */
function texts(LCStore $store, string $code): array
{
    $keys = ['deps', 'messages:hello', 'list', 'rtl', 'none', 'missing'];
    return array_combine($keys, array_map(fn(string $key): mixed => $store->get($code, $key), $keys));
}

/**
 * Reads all texts. Prints a message if they differ from those of the build $text, or if not exactly $reads texts came from the database.
 */
function check(string $what, LCStore $store, string $code, ?string $text, int $reads): void
{
    $expected = $text === null ? array_fill_keys(['deps', 'messages:hello', 'list', 'rtl', 'none', 'missing'], null)
        : ['deps' => ['file' => (object) ['time' => $text]], 'messages:hello' => "hello $text", 'list' => ['messages' => ['hello']], 'rtl' => false, 'none' => null, 'missing' => null];
    LCStoreDB::$reads = 0;
    $actual = texts($store, $code);
    serialize($expected) === serialize($actual) || print("$what: " . json_encode($actual) . ', not ' . json_encode($expected) . "\n");
    LCStoreDB::$reads === $reads || print("$what: " . LCStoreDB::$reads . " reads of the database, not $reads\n");
}

$process = fn(): LCStore => new Larder\MediaWiki\LarderLCStore(['directory' => false]);
$pool = Larder\VolatileCache::pool('mediawiki-localisation');
/** How many texts are read from the database after a build. A script stores no texts in Larder. */
$built = PHP_SAPI === 'cli' ? 6 : 1;
check('before any text', $process(), 'en', null, 6);
check('before any text, again', $process(), 'en', null, 0);
build($process(), 'en', 'first');
$old = $process();
check('first, in another process', $old, 'en', 'first', $built);
check('first, in a third process', $process(), 'en', 'first', 0);
build($process(), 'en', 'second');
$old->get('en', 'messages:other'); // stores a text under the stamp of the first build
check('second', $process(), 'en', 'second', $built);
check('second, again', $process(), 'en', 'second', 0);
LCStoreDB::$readOnly = true;
$entries = $pool->info()->entry_count;
build($process(), 'en', 'third');
$pool->info()->entry_count === $entries || print("nothing was written, but Larder has texts\n");
check('nothing was written', $process(), 'en', 'second', 0);
LCStoreDB::$readOnly = false;
build($process(), 'de', 'fourth');
check('another language', $process(), 'de', 'fourth', $built);
check('the language beside it', $process(), 'en', 'second', 0);
$life = $pool->keyInfo($pool->get(':::en') . 'list')->ttl;
($life > 3000 && $life <= 3600) || print("a text is kept for $life seconds\n"); // an hour, of which some time has passed
[$texts, LCStoreDB::$texts] = [LCStoreDB::$texts, []];
$GLOBALS['wgDBname'] = 'other';
check('another wiki', $process(), 'en', null, 6);
$GLOBALS['wgCachePrefix'] = 'third';
check('a wiki with a database of the same name', $process(), 'en', null, 6);
unset($GLOBALS['wgDBname'], $GLOBALS['wgCachePrefix']);
check('the first wiki', $process(), 'en', 'second', 0);
$pool->clear();
check('after clear()', $process(), 'en', null, 6);
LCStoreDB::$texts = $texts;
$pool->clear();
$folder = sys_get_temp_dir() . '/larder-localisation-' . getmypid();
mkdir($folder);
$files = fn(): LCStore => new Larder\MediaWiki\LarderLCStore(['directory' => $folder]);
build($files(), 'fr', 'in files');
check('in files', $files(), 'fr', 'in files', 0);
check('the database beside files', $process(), 'fr', null, 6);
array_map(unlink(...), glob("$folder/*"));
check('in files that are gone', $files(), 'fr', 'in files', 0);
rmdir($folder);
echo "done\n";
