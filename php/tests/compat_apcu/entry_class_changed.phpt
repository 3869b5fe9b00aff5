--TEST--
larder: compat_apcu: apcu_entry() computes an entry whose class has changed once, and replaces it; an entry of the callback stays
--EXTENSIONS--
larder
pcntl
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
apcu_store('init', 1); // creates the store before the fork
$pid = pcntl_fork();
if ($pid === 0) { // the child declares other classes
    eval('class Conf { public $a = 1; } class Gone { } class Hooked { public function __serialize(): array { return []; } public function __unserialize(array $data): void { } }');
    foreach (['conf', 'mine', 'brief', 'kept', 'deleted', 'resource', 'closure', 'self'] as $key) apcu_store($key, new Conf);
    apcu_store('gone', [new Gone]);
    apcu_store('hooked', new Hooked);
    exit(0);
}
pcntl_waitpid($pid, $status);
eval('class Conf { public $a = 1; public $b = 2; }');

function often(string $key, callable $compute, int $ttl = 0): void
{
    $calls = 0;
    for ($i = 0; $i < 5; $i++)
        $value = @apcu_entry($key, function ($key) use (&$calls, $compute) { $calls++; return $compute($key); }, $ttl);
    echo "$key: called $calls of 5 times, ", json_encode($value, JSON_PARTIAL_OUTPUT_ON_ERROR), ', ttl ', json_encode(apcu_key_info($key)['ttl'] ?? null), "\n";
}
often('conf', fn() => new Conf);
often('gone', fn() => 'text');
often('hooked', fn() => 7, 60);
often('mine', fn($key) => [apcu_store($key, 'stored by the callback')]);
often('deleted', fn($key) => [apcu_delete($key)]);
often('brief', fn() => 'expired at once', -1);
often('resource', fn() => STDIN);
var_dump(apcu_add('kept', 'added'), apcu_fetch('kept'));
try { apcu_entry('closure', fn() => fn() => 1); } catch (Exception $e) { echo $e->getMessage(), ', previous: ', get_debug_type($e->getPrevious()), "\n"; }
var_dump(apcu_entry('self', fn() => apcu_entry('self', fn() => 'inside') . '!'), apcu_fetch('self'));
--EXPECT--
conf: called 1 of 5 times, {"a":1,"b":2}, ttl 0
gone: called 1 of 5 times, "text", ttl 0
hooked: called 1 of 5 times, 7, ttl 60
mine: called 1 of 5 times, "stored by the callback", ttl 0
deleted: called 1 of 5 times, [true], ttl 0
brief: called 5 of 5 times, "expired at once", ttl 0
resource: called 5 of 5 times, null, ttl 0
bool(true)
string(5) "added"
Serialization of 'Closure' is not allowed, previous: null
string(7) "inside!"
string(6) "inside"
