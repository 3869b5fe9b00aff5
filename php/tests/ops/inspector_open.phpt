--TEST--
larder: ops: Inspector::open() and path() ask open_basedir, and a file may be opened as often as one likes
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
use Larder\Inspector;
$folder = ops_folder();
mkdir("$folder/site-a");
mkdir("$folder/site-b");
$settings = fn(string $site) => "-d larder.path=$folder/site-$site -d larder.scope=$site -d larder.volatile_size=2M -d larder.file_cache=1";
foreach (['a', 'b'] as $site) {
    echo ops_php($settings($site), "V::set('secret', ['of', '$site']); V::set('more', 1);");
    $path[$site] = glob("$folder/site-$site/*/$site-volatile")[0];
}
symlink(dirname($path['b']), "$folder/site-a/link");
file_put_contents("$folder/site-b/file", 'text');

echo "-- open_basedir\n";
$restrict = '-d open_basedir=' . $folder . '/site-a';
$try = fn(string $do) => '
    try {
        echo json_encode(' . $do . '), "\n";
    } catch (Larder\StaticCacheException $e) {
        echo strtr($e->getMessage(), ["' . $folder . '" => "FOLDER"]), "\n";
    }';
$hide = fn(string $text) => preg_replace('~larder-\d+~', 'larder-UID', $text);
echo $hide(ops_php($restrict, $try("Larder\\Inspector::open('{$path['a']}')->value('secret')")
    . $try("Larder\\Inspector::open('{$path['b']}')->value('secret')")
    . $try("Larder\\Inspector::open('$folder/site-a/link/b-volatile')->value('secret')")
    . $try("Larder\\Inspector::open('$folder/site-a/../site-b/x')->value('secret')")
    . $try("Larder\\Inspector::open('$folder/site-a/none')->value('secret')")
    . $try("strtr(Larder\\Inspector::path('volatile', 'a', '$folder/site-a'), ['$folder' => 'FOLDER'])")
    . $try("strtr(Larder\\Inspector::path('volatile', 'b', '$folder/site-b'), [])")));
echo "-- its own store, by another path too\n";
echo ops_php($settings('a'), "V::get('secret'); \$i = Larder\\Inspector::open('" . dirname($path['a']) . "/../" . basename(dirname($path['a'])) . "/a-volatile'); echo \$i->stats()['name'], ' ', json_encode(\$i->value('secret')), \"\n\";");
echo "-- whether a file is cached\n";
$file = "$folder/site-b/file"; /* a file is not cached before it is a second old */
echo ops_php($settings('b'), "for (\$i = 0; \$i < 3000 && !(\$dropped = Larder\\FileCache::invalidate('$file')); \$i++) { usleep(20000); file_get_contents('$file'); }
    file_get_contents('$file'); ini_set('open_basedir', '$folder/site-a');
    echo json_encode([\$dropped, Larder\\FileCache::invalidate('$file')]), \"\\n\";");

echo "-- again and again\n";
$one = Inspector::open($path['b']);
$two = Inspector::open($path['b']);
echo json_encode([count($one->keys()), $two->value('secret')]), "\n";
unset($one);
$value = $two->value('secret');
unset($two);
$three = Inspector::open($path['b']);
echo json_encode([$value, $three->value('secret'), $three->delete('secret'), Inspector::open($path['b'])->keys()]), "\n";
for ($i = 0; $i < 50; $i++) Inspector::open($path['b'])->stats();
$first = Inspector::open($path['b']);
if (function_exists('pcntl_fork') && ($child = pcntl_fork()) === 0) {
    $same = Inspector::open($path['b']);
    unset($first, $three, $same);
    Inspector::open($path['b'])->delete('more');
    posix_kill(getmypid(), SIGKILL);
}
isset($child) ? pcntl_waitpid($child, $status) : $first->delete('more');
echo json_encode($first->keys()), "\n";
?>
--EXPECT--
-- open_basedir
["of","a"]
FOLDER/site-b/larder-UID/b-volatile: open_basedir does not allow this path; allowed: FOLDER/site-a
FOLDER/site-a/link/b-volatile: open_basedir does not allow this path; allowed: FOLDER/site-a
FOLDER/site-a/../site-b/x: open_basedir does not allow this path; allowed: FOLDER/site-a
LRD_ESYS: a system call failed: FOLDER/site-a/none: lstat: No such file or directory
"FOLDER\/site-a\/larder-UID\/a-volatile"
FOLDER/site-b/larder-UID/b-volatile: open_basedir does not allow this path; allowed: FOLDER/site-a
-- its own store, by another path too
volatile ["of","a"]
-- whether a file is cached
[true,false]
-- again and again
[2,["of","b"]]
[["of","b"],["of","b"],true,["more"]]
[]