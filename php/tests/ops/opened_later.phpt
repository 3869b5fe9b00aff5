--TEST--
larder: ops: a worker whose store could not be opened has it soon after the cause is gone
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
/* The folder of the named stores does not exist yet. */
echo ops_php("-d error_log= -d larder.path=$folder/later -d larder.scope=app", '
    var_dump(V::set("k", 1), V::set("k", 1), V::info()->available);
    mkdir("' . $folder . '/later");
    for ($end = hrtime(true) + 60e9; !V::set("k", 2) && hrtime(true) < $end;) {
        usleep(10000);
    }
    var_dump(V::get("k"), V::info()->failure_reason);
');
/* The file with the name of the store is no store, so Larder must not change it. */
@mkdir("$folder/later/larder-" . posix_geteuid(), 0700);
file_put_contents($file = "$folder/later/larder-" . posix_geteuid() . '/busy-volatile', str_repeat('x', 100000));
chmod($file, 0600);
echo preg_replace('~/\S+/~', '', ops_php("-d error_log= -d larder.path=$folder/later -d larder.scope=busy", '
    var_dump(V::set("k", 1), filesize("' . $file . '"));
    unlink("' . $file . '");
    for ($end = hrtime(true) + 60e9; !V::set("k", 2) && hrtime(true) < $end;) {
        usleep(10000);
    }
    var_dump(V::get("k"));
'));
/* A command that only reads is called with a wrong path. Its message must not tell the caller to remove the file. */
foreach (["$folder/photo.jpg", $folder] as $path) {
    if (!is_dir($path)) {
        file_put_contents($path, str_repeat('x', 5000));
        touch("$path.lock");
        array_map(fn ($file) => chmod($file, 0600), [$path, "$path.lock"]);
    }
    try {
        Larder\Inspector::open($path);
    } catch (Larder\StaticCacheException $e) {
        echo str_replace($folder, 'FOLDER', $e->getMessage()), "\n";
    }
}
--EXPECTF--
Larder: the volatile store is off: %s/later/larder-%d cannot be made: No such file or directory; set larder.path to a folder that this user may write to
bool(false)
bool(false)
bool(false)
Larder: the volatile store is on again
int(2)
NULL
Larder: the volatile store is off: LRD_EFORMAT: %s: busy-volatile: is not a larder segment; it was left as it is: remove it, or choose another name
bool(false)
int(100000)
Larder: the volatile store is on again
int(2)
LRD_EFORMAT: not a larder segment, or damaged: FOLDER/photo.jpg: is not a larder segment; it was left as it is
LRD_EFORMAT: not a larder segment, or damaged: FOLDER: has no .lock file beside it, as a segment has
