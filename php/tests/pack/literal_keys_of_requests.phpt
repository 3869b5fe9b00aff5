--TEST--
larder: pack: literals that served as keys end with their request; the next one of the worker reads the same keys
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$rows = ['literal_of_one' => 1, 'of_the_same_request' => str_repeat('x', 40), 'third' => [1, 2, 3]];
/* The first request has the literals of $many in front of the literals that are keys of the rows. The next request reuses this memory from
 * its beginning. So it reads the value first, and only then overwrites the old keys. */
$many = implode('', array_map(fn(int $i) => "\$l['" . md5((string) $i) . "'] = 1;", range(1, 3000)));
$read = 'echo V::keyInfo("rows")->form, " ", count($rows = V::get("rows")), " ";
    for ($i = 0, $all = []; $i < 20000; $i++) $all[] = str_repeat("z", 1 + $i % 90);
    echo md5(json_encode($rows[19])) === "' . md5(json_encode($rows)) . '" ? "found" : "lost";';
$fpm = fpm(['www' => []], ['larder.form=packed', 'opcache.enable=0']);
$fpm->run('www', 'V::set("rows", array_fill(0, 20, ' . var_export($rows, true) . '));');
for ($i = 0, $answers = []; $i < 20; $i++) {
    $answers[] = $fpm->run('www', "$many \$l['literal_of_one'] = \$l['of_the_same_request'] = \$l['third'] = 1; $read");
    $answers[] = $fpm->run('www', $read);
}
var_dump(array_count_values($answers));
$fpm->stop();
?>
--EXPECT--
array(1) {
  ["packed 20 found"]=>
  int(40)
}
