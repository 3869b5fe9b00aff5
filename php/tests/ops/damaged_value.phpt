--TEST--
larder: ops: a value whose bytes are damaged is said to be, and shows nothing that is not in it
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$settings = "-d larder.path=$folder -d larder.scope=d -d larder.volatile_size=2M";
$value = '["list" => [1, 2, [3, "four and what makes it long"]], "row" => ["a" => 1.5, "b" => null, "c" => ["deep" => "END-OF-VALUE"]]]';
echo ops_php($settings, "var_dump(V::set('damaged-key', $value), V::set('text-key', str_repeat('text ', 50) . 'END-OF-TEXT'));");
$path = glob("$folder/*/d-volatile")[0];

/* Damages each word of the value in turn. */
echo ops_php('', '
    $file = fopen("' . $path . '", "r+");
    stream_set_read_buffer($file, 0);
    $from = filesize("' . $path . '") - (3 << 20); // the values are in the last 3 MB of the file
    fseek($file, $from);
    $all = stream_get_contents($file);
    $store = Larder\Inspector::open("' . $path . '");
    foreach (["damaged-key" => "END-OF-VALUE", "text-key" => "END-OF-TEXT"] as $key => $end) {
        $first = strpos($all, $key) + strlen($key) + 7 & ~7;
        $last = strpos($all, $end, $first);
        $shown = $refused = 0;
        foreach (["\xff\xff\xff\xff\xff\xff\xff\xff", "\0\0\0\0\0\0\0\0", "\x09\0\0\0\x09\0\0\0", "\x41\x41\x41\x41\x41\x41\0\0", "\x07\1\0\0\x46\0\0\0"] as $bytes) {
            for ($at = $first; $at < $last; $at += 4) {
                fseek($file, $from + $at);
                fwrite($file, $bytes);
                try {
                    json_encode($store->value($key), JSON_PARTIAL_OUTPUT_ON_ERROR);
                    $shown++;
                } catch (Larder\StaticCacheException $e) {
                    $refused++;
                    $said[$e->getMessage()] = true;
                }
                fseek($file, $from + $at);
                fwrite($file, substr($all, $at, strlen($bytes)));
            }
        }
        echo $key, ": ", $shown > 0 ? "shown, " : "", $refused > 0 ? "refused" : "", "\n";
    }
    echo json_encode(array_keys($said)), "\n", json_encode($store->value("damaged-key") === ' . $value . '), "\n";
');
?>
--EXPECT--
bool(true)
bool(true)
damaged-key: shown, refused
text-key: shown, refused
["the value is damaged"]
true
