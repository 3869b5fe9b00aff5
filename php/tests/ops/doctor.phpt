--TEST--
larder: ops: the doctor names what is wrong with the set-up of the command line, and the line to write
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $match);
$module = $match[1];
$extensions = ini_get('extension_dir');
$posix = is_file("$extensions/posix.so") ? "extension=$extensions/posix.so\n" : '';
mkdir("$folder/stores", 0700);

/*
 * Runs the doctor with its own ini files, and prints what it finds wrong. $files: ini files by name; $root: files that
 * replace those of the kernel; $before: a shell command that runs first.
 */
$plant = function (string $title, array $files, array $root = [], string $before = ':') use ($folder, $posix): void {
    exec('rm -rf ' . escapeshellarg("$folder/conf.d") . ' ' . escapeshellarg("$folder/root"));
    mkdir("$folder/conf.d");
    file_put_contents("$folder/php.ini", "display_errors = 0\ndisplay_startup_errors = 0\nlog_errors = 0\nextension_dir = $folder/ext\n$posix");
    foreach ($files as $name => $text) {
        file_put_contents("$folder/conf.d/$name.ini", "$text\n");
    }
    foreach ($root as $path => $text) {
        @mkdir(dirname("$folder/root$path"), 0700, true);
        file_put_contents("$folder/root$path", $text);
    }
    $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
    $command = "$before; exec env PHP_INI_SCAN_DIR=$folder/conf.d " . ($root !== [] ? "LARDER_DOCTOR_ROOT=$folder/root " : '')
        . "$php -c $folder/php.ini " . dirname(__DIR__, 3) . '/ops/main.php doctor --json';
    exec('sh -c ' . escapeshellarg($command) . ' 2>/dev/null', $lines, $code);
    $answer = json_decode(strstr(implode("\n", $lines), '{') ?: '', true) ?? die(implode("\n", $lines)); /* warnings of PHP come first */
    echo "$title: ", $code === ($answer['well'] ? 0 : 1) ? ($answer['well'] ? "all is well\n" : '') : "exit code $code\n";
    foreach ($answer['findings'] as $finding) {
        if ($finding['level'] === 'wrong') {
            echo strtr("[{$finding['check']}] {$finding['where']}: {$finding['line']}\n", [$folder => 'FOLDER', dirname(__DIR__, 3) => 'SOURCES', '-php' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION => '-phpX.Y', 'php-config' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION => 'php-configX.Y', '-' . posix_geteuid() => '-UID', posix_getpwuid(posix_geteuid())['name'] => 'USER']);
        }
    }
};
mkdir("$folder/ext");
$plant('not installed', []);
copy($module, "$folder/ext/larder.so");
$load = ['20-larder' => 'extension=larder'];
$with = fn (string ...$lines): array => ['20-larder' => implode("\n", ['extension=larder', ...$lines])];
$stores = "larder.path = $folder/stores\nlarder.scope = app";
$tmpfs = "22 1 0:1 / $folder rw - tmpfs tmpfs rw,size=%s\n";
$memory = ['/proc/meminfo' => "MemTotal: 16777216 kB\n"];
/* Makes a store with a file. */
$fill = function (string $settings, string $code) use ($folder): void {
    exec('rm -rf ' . escapeshellarg("$folder/stores") . '/*');
    ops_php("-d larder.path=$folder/stores -d larder.scope=app $settings", $code);
};

$plant('healthy', $load);
$plant('healthy, named', $with($stores), $memory + ['/proc/self/mountinfo' => sprintf($tmpfs, '1g')]);

echo "-- the extension\n";
$plant('no line loads it', []);
$plant('a comment', ['20-larder' => "; Larder\n;extension=larder"]);
$plant('a file that is not there', ['20-larder' => 'extension=/nowhere/larder.so']);
$plant('a Zend extension', ['20-larder' => 'zend_extension=larder']);
rename("$folder/ext/larder.so", "$folder/ext/kept.so");
mkdir("$folder/other");
file_put_contents("$folder/other/larder.so", preg_replace('/API\d+(?=,N?TS)/', 'API20010101', file_get_contents($module)));
$plant('for another PHP', ['20-larder' => "extension=$folder/other/larder.so"]);
$plant('not installed, but named', $load);
rename("$folder/ext/kept.so", "$folder/ext/larder.so");
$plant('twice', $load + ['99-app' => 'extension=larder.so']);

echo "-- settings\n";
$plant('no setting of that name', $with('larder.volatile_sise = 1G'));
$plant('a size with a wrong unit', $with('', 'larder.volatile_size = 1GB'));
$plant('a size that is none', $load + ['99-app' => 'larder.pinned_size = "lots"']);
$plant('a scope with a blank', $with('larder.scope = "my shop"'));
$plant('a path that is not absolute', $with('larder.path = stores'));
$plant('a layer that is none', $with('larder.compat = apcu, apc'));
$plant('a number of pools', $with('larder.pools = many'));
$plant('a switch', $with('larder.statics = maybe'));
$plant('off', $with('larder.enable = 0'));
$plant('off on the command line', $with('larder.enable_cli = Off'));
if (extension_loaded('session')) {
    $plant('sessions without a store', $with('session.save_handler = larder', 'larder.session_size = 0'));
}

echo "-- memory and limits\n";
$plant('more than the machine has', $with('larder.volatile_size = 8G'), ['/proc/meminfo' => "MemTotal: 2097152 kB\n"]);
$plant('more than the container may use', $load, $memory + ['/proc/self/cgroup' => "0::/app/web\n", '/sys/fs/cgroup/app/memory.max' => "67108864\n", '/sys/fs/cgroup/app/web/memory.max' => "max\n"]);
$plant('the same, in a group of version 1', $load, $memory + ['/proc/self/cgroup' => "5:cpu:/\n7:memory:/app\n", '/sys/fs/cgroup/memory/app/memory.limit_in_bytes' => "67108864\n"]);
$plant('address space', $with('larder.volatile_size = 2G'), ['/proc/meminfo' => "MemTotal: 16777216 kB\n", '/proc/self/limits' => "Max address space 1048576000 1048576000 bytes\n"]);
$plant('size of files', $load, [], 'ulimit -f 30000'); /* the unit of this limit is 512 or 1,024 bytes */

echo "-- where named stores lie\n";
$plant('more than /dev/shm has', $with($stores), $memory + ['/proc/self/mountinfo' => sprintf($tmpfs, '65536k')]);
$plant('on a disk', $with($stores), $memory + ['/proc/self/mountinfo' => "22 1 0:1 / $folder rw - ext4 /dev/sda1 rw\n"]);
$plant('on Btrfs', $with($stores), $memory + ['/proc/self/mountinfo' => "22 1 0:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:2 / $folder rw - btrfs /dev/sda2 rw\n"]);
$plant('a folder that is not there', $with("larder.path = $folder/none"));
$plant('read-only', $with($stores), $memory + ['/proc/self/mountinfo' => "22 1 0:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:2 / $folder ro,nosuid - tmpfs tmpfs rw,size=1g\n"]);
$fill('', 'V::set("k", 1);');
chmod(glob("$folder/stores/larder-*")[0], 0755);
$here = $memory + ['/proc/self/mountinfo' => sprintf($tmpfs, '1g')];
$plant('others may look into the folder', $with($stores), $here);
chmod(glob("$folder/stores/larder-*")[0], 0700);
chmod(glob("$folder/stores/larder-*/app-volatile")[0], 0644);
$plant('others may read a store', $with($stores), $here);
$fill('', 'V::set("k", 1);');
$store = glob("$folder/stores/larder-*/app-volatile")[0];
rename($store, "$folder/target");
symlink("$folder/target", $store);
$plant('a link in the place of a store', $with($stores), $here);
unlink($store);
mkdir($store);
$plant('a folder in the place of a store', $with($stores), $here);
exec('rm -r ' . escapeshellarg(dirname($store)));
touch(dirname($store));
$plant('a file in the place of the folder', $with($stores), $here);

echo "-- what is in the files of stores\n";
$fill('', 'V::set("k", 1);');
ops_other_abi(glob("$folder/stores/*/app-volatile")[0]);
$plant('of another PHP', $with($stores), $here);
$fill('', 'V::set("k", 1);');
file_put_contents(glob("$folder/stores/*/app-volatile")[0], 'no store');
$plant('no store', $with($stores), $here);
$fill('-d larder.volatile_size=8M', 'V::set("k", 1);');
$plant('of another size', $with($stores, 'larder.volatile_size = 16M'), $here);
$plant('of the size that nobody has set', $with($stores), $here);

echo "-- asked wrongly\n";
echo ops_larder('doctor', 'x'), ops_larder('doctor', '--scope', 'app');
?>
--EXPECT--
not installed: [extension] run in the sources of Larder: make php larder && sudo make install
healthy: all is well
healthy, named: all is well
-- the extension
no line loads it: [extension] write into FOLDER/conf.d/20-larder.ini: extension=larder
a comment: [extension] write into FOLDER/conf.d/20-larder.ini, line 2: extension=larder
a file that is not there: [extension] write into FOLDER/conf.d/20-larder.ini, line 1: extension=larder
a Zend extension: [extension] write into FOLDER/conf.d/20-larder.ini, line 1: extension=larder
for another PHP: [extension] run in the sources of Larder: make php larder PHP_CONFIG=php-configX.Y && sudo make install PHP_CONFIG=php-configX.Y
not installed, but named: [extension] run, where Larder was built: sudo make install
twice: [extension] remove from FOLDER/conf.d/99-app.ini, line 1: extension=larder.so
-- settings
no setting of that name: [settings] write into FOLDER/conf.d/20-larder.ini, line 2: larder.volatile_size = 1G
a size with a wrong unit: [settings] write into FOLDER/conf.d/20-larder.ini, line 3: larder.volatile_size = 1G
a size that is none: [settings] write into FOLDER/conf.d/99-app.ini, line 1: larder.pinned_size = 32M
a scope with a blank: [settings] write into FOLDER/conf.d/20-larder.ini, line 2: larder.scope = my-shop
a path that is not absolute: [settings] write into FOLDER/conf.d/20-larder.ini, line 2: larder.path = /dev/shm
a layer that is none: [settings] write into FOLDER/conf.d/20-larder.ini, line 2: larder.compat = apcu
a number of pools: [settings] write into FOLDER/conf.d/20-larder.ini, line 2: larder.pools = 32
a switch: [settings] write into FOLDER/conf.d/20-larder.ini, line 2: larder.statics = 0
off: [enable] write into FOLDER/conf.d/20-larder.ini, line 2: larder.enable = 1
off on the command line: [enable] write into FOLDER/conf.d/20-larder.ini, line 2: larder.enable_cli = 1
sessions without a store: [sessions] write into FOLDER/conf.d/20-larder.ini, line 3: larder.session_size = 64M
-- memory and limits
more than the machine has: [memory] write into FOLDER/conf.d/20-larder.ini, line 2: larder.volatile_size = 976M
more than the container may use: [memory] write into FOLDER/conf.d/20-larder.ini: larder.volatile_size = 16M
the same, in a group of version 1: [memory] write into FOLDER/conf.d/20-larder.ini: larder.volatile_size = 16M
address space: [limits] run before: ulimit -v unlimited
size of files: [limits] run before: ulimit -f unlimited
-- where named stores lie
more than /dev/shm has: [folder] write into FOLDER/conf.d/20-larder.ini: larder.volatile_size = 16M
on a disk: [folder] write into FOLDER/conf.d/20-larder.ini, line 2: larder.path = /dev/shm
on Btrfs: [folder] write into FOLDER/conf.d/20-larder.ini, line 2: larder.path = /dev/shm
a folder that is not there: [folder] run: sudo install -d -m 0700 -o USER FOLDER/none
read-only: [folder] run: sudo mount -o remount,rw FOLDER
others may look into the folder: [permissions] run: sudo chmod 0700 FOLDER/stores/larder-UID
others may read a store: [permissions] run: sudo chmod 0600 FOLDER/stores/larder-UID/app-volatile
a link in the place of a store: [stores] run: sudo rm FOLDER/stores/larder-UID/app-volatile
a folder in the place of a store: [stores] run: sudo rm -r FOLDER/stores/larder-UID/app-volatile
a file in the place of the folder: [permissions] run: sudo rm FOLDER/stores/larder-UID
-- what is in the files of stores
of another PHP: [stores] write into FOLDER/conf.d/20-larder.ini, line 3: larder.scope = app-phpX.Y
no store: [stores] run: sudo rm FOLDER/stores/larder-UID/app-volatile
of another size: [stores] to make it again with 16M, and empty, remove its file: rm FOLDER/stores/larder-UID/app-volatile
of the size that nobody has set: all is well
-- asked wrongly
larder: larder doctor takes no arguments
exit code 2
larder: larder doctor takes no --scope
exit code 2
