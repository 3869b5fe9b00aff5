--TEST--
larder: compat_apcu: APCUIterator refuses bad arguments and uses
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }
function keys(APCUIterator $it): array { $keys = array_keys(iterator_to_array($it)); sort($keys); return $keys; }
for ($i = 0; $i < 5; $i++) apcu_store("k$i", "v$i", 100 + $i);
apcu_store('other', [1]);

class Sub extends APCUIterator { function __construct() {} }
foreach (['rewind', 'valid', 'key', 'current', 'next', 'getTotalHits', 'getTotalSize', 'getTotalCount'] as $method) thrown(fn() => (new Sub)->$method());
thrown(fn() => apcu_delete(new Sub));
thrown(fn() => new APCUIterator('abc'));
thrown(fn() => new APCUIterator('/^k['));
thrown(fn() => new APCUIterator(null, 1 << 40));
thrown(fn() => new APCUIterator(null, APC_ITER_ALL, -1));
thrown(fn() => (new APCUIterator(null, APC_ITER_ALL, 0, 7))->valid());
thrown(fn() => clone new APCUIterator);
thrown(fn() => serialize(new APCUIterator));
thrown(fn() => unserialize('O:12:"APCUIterator":0:{}'));
thrown(fn() => (new APCUIterator)->valid(1));
$it = new APCUIterator; thrown(fn() => $it->__construct('abc')); thrown(fn() => $it->valid());
--EXPECTF--
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator
Error: Trying to use uninitialized APCUIterator

Warning: APCUIterator::__construct(): Delimiter must not be alphanumeric, backslash, or NUL%S in %s on line 11
Error: Could not compile regular expression: abc

Warning: APCUIterator::__construct(): No ending delimiter '/' found in %s on line 12
Error: Could not compile regular expression: /^k[
Error: APCUIterator format is invalid
Error: APCUIterator chunk size must be 0 or greater

Warning: APCUIterator::__construct(): APCUIterator invalid list type in %s on line 15
Error: Trying to use uninitialized APCUIterator
Error: Trying to clone an uncloneable object of class APCUIterator
Exception: Serialization of 'APCUIterator' is not allowed
Exception: Unserialization of 'APCUIterator' is not allowed
ArgumentCountError: APCUIterator::valid() expects exactly 0 arguments, 1 given

Warning: APCUIterator::__construct(): Delimiter must not be alphanumeric, backslash, or NUL%S in %s on line 20
Error: Could not compile regular expression: abc
Error: Trying to use uninitialized APCUIterator
