--TEST--
larder: compat_apcu: values with hooks may use the cache while they are stored and fetched
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

final class Reenters
{
    public static array $log = [];
    public function __construct(public string $name) {}
    public function __serialize(): array { self::$log[] = "store $this->name"; apcu_store($this->name, 'by the hook'); apcu_delete('other'); return ['name' => $this->name]; }
    public function __unserialize(array $data): void { $this->name = $data['name']; self::$log[] = "fetch $this->name"; apcu_store($this->name, 'overwritten'); apcu_inc('count'); }
}
apcu_store('other', 1);
show(apcu_store('k', new Reenters('k')), apcu_exists('other'));
show(apcu_fetch('k')->name, apcu_fetch('k'), apcu_fetch('count'));
show(apcu_store(['x' => new Reenters('y'), 'y' => new Reenters('x')]));
$got = apcu_fetch(['x', 'y']);
show(array_map(fn($v) => $v instanceof Reenters ? $v->name : $v, $got), apcu_fetch('x'), apcu_fetch('y'));
show(apcu_add('a', new Reenters('a')), apcu_fetch('a'));
show(apcu_entry('e', fn() => new Reenters('e'))->name, apcu_fetch('e'), Reenters::$log);
--EXPECT--
true false 
"k" "overwritten" 1 
[] 
{"x":"by the hook","y":"x"} "overwritten" {"name":"x"} 
false "by the hook" 
"e" "by the hook" ["store k","fetch k","store y","store x","fetch x","fetch x","store a","store e"] 
