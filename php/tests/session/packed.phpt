--TEST--
larder: session: sessions are packed from the half of the store on, so more of them fit, and are read as they were written
--EXTENSIONS--
larder
session
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
session.gc_maxlifetime=1000
larder.session_size=2M
--FILE--
<?php
ob_start();
use Larder\Inspector;
use Larder\Sessions;
set_error_handler(function (int $level, string $text) use (&$said): bool { $said = $text; return true; });
mt_srand(47);
function data(int $i): array {
    return ['user' => $i, 'token' => md5((string) $i), 'cart' => array_map(fn($j) => ['id' => mt_rand(1, 9999), 'title' => "title of product $j", 'price' => 9.99, 'options' => ['size' => 'M', 'colour' => 'blue']], range(1, 12))];
}
$open = function (string $id, ?array $data, array $options = []): array {
    session_id($id);
    session_start($options);
    if ($data !== null) $_SESSION = $data;
    $got = $_SESSION;
    isset($options['read_and_close']) || session_write_close();
    return $got;
};
$forms = fn() => array_count_values(array_column(Inspector::own('session')->entries(), 'form'));
$all = [];
for ($i = 0; $said === null; $i++) {
    $all["s$i"] = data($i);
    $open("s$i", $all["s$i"]);
    if ($i === 100) var_dump($forms());
}
array_pop($all);
echo strtok($said, ':'), "\n";
['ready' => $ready, 'packed' => $packed] = $forms();
$stats = Inspector::own('session')->stats();
var_dump($packed > 1.5 * $ready, $stats['packed_bytes'] * 2 < $stats['packed_ready'], Inspector::own('session')->fsck());
$wrong = 0;
foreach ($all as $id => $data) if ($open($id, null, ['read_and_close' => true]) !== $data) $wrong++;
/* If the store has little room, a ready session becomes packed when it is written again. */
foreach (array_slice(array_keys($all), -200) as $id) Sessions::destroy($id);
foreach (['s0', 's1', 's' . count($all) - 201] as $id) {
    $said = null;
    $open($id, $all[$id] + ['more' => 1]);
    if ($open($id, null, ['read_and_close' => true]) !== $all[$id] + ['more' => 1] || $said !== null) $wrong++;
}
session_id('s5');
$text = serialize(data(-1));
Sessions::write($id = "x", $text, 100);
var_dump($wrong, Sessions::read($id) === $text, Sessions::destroy($id), Sessions::read($id));
?>
--EXPECT--
array(1) {
  ["ready"]=>
  int(101)
}
session_write_close()
bool(true)
bool(true)
array(0) {
}
int(0)
bool(true)
bool(true)
NULL
