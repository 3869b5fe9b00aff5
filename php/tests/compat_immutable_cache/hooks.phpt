--TEST--
larder: compat_immutable_cache: values with hooks may use the cache while they are added and fetched
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

final class Reenters
{
    public static array $log = [];
    public function __construct(public string $name) {}
    public function __serialize(): array { self::$log[] = "add $this->name"; immutable_cache_add($this->name, 'by the hook'); return ['name' => $this->name]; }
    public function __unserialize(array $data): void { $this->name = $data['name']; self::$log[] = "fetch $this->name"; immutable_cache_add("$this->name seen", immutable_cache_fetch('plain')); }
}
immutable_cache_add('plain', [1, 2]);
show(immutable_cache_add('k', new Reenters('k')), immutable_cache_fetch('k'));
show(immutable_cache_add('x', new Reenters('y')), immutable_cache_fetch('x')->name, immutable_cache_fetch('y'), immutable_cache_fetch('y seen'));
foreach (new ImmutableCacheIterator('/^x$/', IMMUTABLE_CACHE_ITER_VALUE) as $key => $item) show($key, $item['value']->name);
show(Reenters::$log);
--EXPECT--
false "by the hook" 
true "y" "by the hook" [1,2] 
"x" "y" 
["add k","add y","fetch y","fetch y"] 
