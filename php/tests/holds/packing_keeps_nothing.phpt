--TEST--
larder: holds: values that were packed as parts of another one can be released
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip only in memory of the memory manager of PHP are places found that are not used any more');
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if ((int) ini_get('opcache.jit_buffer_size') !== 0) die('skip under a JIT places that are not used any more are found, and more is copied'); ?>
--FILE--
<?php
use Larder\Inspector;
use Larder\VolatileCache;
use function Larder\scope;

const VALUES = 200;
for ($i = 0; $i < VALUES; $i++) {
    VolatileCache::set("key $i", ['name' => str_repeat("name $i ", 20), 'deep' => [$i, "string $i", str_repeat("deep $i ", 30)]]);
}

/* Fetches all values. If $form is given, stores them in this form, as one value. */
function work(?string $form): void
{
    $all = [];
    for ($i = 0; $i < VALUES; $i++) $all[] = VolatileCache::get("key $i");
    if ($form !== null) VolatileCache::set('all', $all, 0, $form);
}

/* Releases all unused values. Returns the bytes of the values that are still held. */
function held(): int
{
    static $calls = 0;
    $key = 'other ' . $calls++;
    VolatileCache::set($key, [$key, str_repeat('other ', 30)]);
    scope(fn() => VolatileCache::get($key)[0]);
    return Inspector::own('volatile')->threads()[0]['held'];
}

foreach ([null, 'ready', 'packed', 'packed'] as $form) {
    work($form);
    $before = Inspector::own('volatile')->threads()[0]['held'];
    $now = held();
    echo $form ?? 'fetched', ': ', $now < $before / 4 ? 'released' : "$now of $before bytes held", "\n";
}
--EXPECT--
fetched: released
ready: released
packed: released
packed: released
