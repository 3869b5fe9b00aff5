--TEST--
larder: immutable_cache: arguments that the iterator refuses
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
immutable_cache_add('k', 1);
function attempt($f) { try { $f(); } catch (Error $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }
attempt(fn () => new ImmutableCacheIterator('/unclosed(/'));
attempt(fn () => new ImmutableCacheIterator(null, IMMUTABLE_CACHE_ITER_ALL + 1));
attempt(fn () => new ImmutableCacheIterator(null, -1));
attempt(fn () => new ImmutableCacheIterator(null, 0, -1));
attempt(function () { $it = new ImmutableCacheIterator(null, 0, 0, IMMUTABLE_CACHE_LIST_DELETED); $it->valid(); });
$it = new ImmutableCacheIterator;
attempt(fn () => clone $it);
attempt(fn () => $it->property = 1);
attempt(fn () => $it->__construct());
try { serialize($it); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
class Throwing { function __serialize(): array { return []; } function __unserialize(array $d): void { throw new Error('from a hook'); } }
immutable_cache_add('t', new Throwing);
attempt(function () { foreach (new ImmutableCacheIterator(['t']) as $item); });
var_dump((new ReflectionClass('ImmutableCacheIterator'))->isFinal());
--EXPECTF--
Warning: ImmutableCacheIterator::__construct(): %s in %s on line %d
Error: Could not compile regular expression: /unclosed(/
ValueError: ImmutableCacheIterator::__construct(): Argument #2 ($format) must be a combination of IMMUTABLE_CACHE_ITER_*
ValueError: ImmutableCacheIterator::__construct(): Argument #2 ($format) must be a combination of IMMUTABLE_CACHE_ITER_*
ValueError: ImmutableCacheIterator::__construct(): Argument #3 ($chunk_size) must be greater than or equal to 0

Warning: ImmutableCacheIterator::__construct(): ImmutableCacheIterator invalid list type in %s on line %d
Error: Trying to use uninitialized ImmutableCacheIterator
Error: Trying to clone an uncloneable object of class ImmutableCacheIterator
Error: Cannot create dynamic property ImmutableCacheIterator::$property
Error: ImmutableCacheIterator is constructed already
Serialization of 'ImmutableCacheIterator' is not allowed
Error: from a hook
bool(true)
