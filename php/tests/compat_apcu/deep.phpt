--TEST--
larder: compat_apcu: arrays of any depth are stored, whatever apc.serializer says
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.enable_cli=1
apc.serializer=php
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
foreach ([4000, 4094, 4095, 4096, 5000, 100000] as $depth) {
    for ($value = ['end'], $i = 1; $i < $depth; $i++) {
        $value = [$value];
    }
    $stored = apcu_store('k', $value) && apcu_add("k$depth", $value);
    $got = apcu_fetch('k');
    for ($levels = 0; is_array($got); $levels++) {
        $got = $got[0];
    }
    echo "$depth: ", json_encode([$stored, $levels, $got]), "\n";
}
for ($value = [new ArrayObject], $i = 0; $i < 5000; $i++) {
    $value = [$value];
}
var_dump(apcu_store('k', $value));
?>
--EXPECT--
4000: [true,4000,"end"]
4094: [true,4094,"end"]
4095: [true,4095,"end"]
4096: [true,4096,"end"]
5000: [true,5000,"end"]
100000: [true,100000,"end"]
bool(true)
