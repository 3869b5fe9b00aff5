<?php
/* Writes inputs for fuzz_unfold: the size of a block, then a packed graph.
 *   php -d extension=larder.so -d larder.enable_cli=1 -d larder.form=packed -d larder.scope=s -d larder.path=FOLDER php/fuzz/seeds.php FOLDER COUNT */
declare(strict_types=1);

use Larder\VolatileCache as Cache;

error_reporting(E_ALL & ~E_DEPRECATED & ~E_WARNING);
require __DIR__ . '/../tests/include/random_graph.php';
require __DIR__ . '/../tests/include/packed_bytes.php';

[, $folder, $count] = $argv;
is_dir($folder) || mkdir($folder, 0700, true);
graph_load_classes(false);
$written = 0;
for ($seed = 1; $written < (int) $count; $seed++) {
    $value = RandomGraph::make($seed, $keep);
    $key = "the key of seed $seed";
    $info = Cache::set($key, $value) ? Cache::keyInfo($key) : null;
    if ($info?->form === 'packed') {
        $file = fopen(glob(ini_get('larder.path') . '/larder-*/' . ini_get('larder.scope') . '-volatile')[0], 'r');
        $packed = packed_value($file, $key, $info->size);
        if (ord($packed[2]) === 4) { // a graph
            $written++;
            file_put_contents("$folder/seed$written", substr($packed, 12, 4) . substr($packed, 16));
        }
    }
    Cache::delete($key);
}
echo "$written inputs\n";
