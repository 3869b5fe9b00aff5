--TEST--
larder: lifetime: files compiled, looked up and invalidated by fetched paths
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/places.inc';

$folder = sys_get_temp_dir() . '/larder-files-' . getmypid();
mkdir($folder);
register_shutdown_function(function () use ($folder) { array_map('unlink', glob("$folder/*")); rmdir($folder); });
$values = ['folder' => $folder . str_repeat('/.', 40), 'map' => [], 'relative' => 'larder-relative-' . str_repeat('r', 100) . '.php', 'none' => "$folder/none" . str_repeat('n', 100) . '.php'];
file_put_contents("$folder/{$values['relative']}", '<?php return __FILE__;');
foreach (['include', 'once', 'compiled', 'invalid', 'class', 'shown', 'stripped', 'twice', 'broken', 'throws'] as $name) {
    $values['map'][$name] = "$folder/$name-" . str_repeat('f', 100) . '.php';
    $code = ['class' => "class Included { const A = [1]; static function f() { return __FILE__; } }\nreturn 'class';", 'broken' => 'return )', 'throws' => 'throw new Exception(__FILE__);'][$name] ?? "return '$name' . __LINE__;";
    file_put_contents($values['map'][$name], "<?php\n$code\n");
}
$values['links'] = ["$folder/./" . basename($values['map']['include']), "file://{$values['map']['include']}", "$folder/../" . basename($folder) . '/' . basename($values['map']['include'])];
foreach (['include', 'once', 'shown'] as $n => $name) $values['spelt'][] = "$folder/././" . basename($values['map'][$name]);
places($values, [
    'include' => 'echo include $v["map"]["include"], require $v["map"]["include"], (include_once $v["map"]["once"]) === 1 ? "again" : "", count(get_included_files());',
    'include_once' => 'echo require_once $v["map"]["twice"], require_once $v["map"]["twice"], include_once $v["map"]["twice"], in_array($v["map"]["twice"], get_included_files());',
    'classes' => 'echo include $v["map"]["class"]; echo Included::f(), Included::A[0], (new ReflectionClass("Included"))->getFileName();',
    'other spellings' => 'foreach ($v["links"] as $link) echo include $link; echo count(get_included_files());',
    'other spellings, once' => 'include $v["map"]["shown"]; foreach ($v["spelt"] as $path) echo include_once $path, require_once $path; echo count(get_included_files());',
    'include path' => 'set_include_path($v["folder"]); echo include $v["relative"], stream_resolve_include_path($v["relative"]), include_once $v["relative"], file_get_contents($v["relative"], true) !== "";',
    'working directory' => 'chdir($v["folder"]); echo include $v["relative"]; echo require_once "./" . $v["relative"]; echo getcwd();',
    'missing' => 'echo @include $v["none"], (@include_once $v["none"]) === false ? "none" : "", stream_resolve_include_path($v["none"]) === false; try { @require $v["none"]; } catch (Error $e) { echo get_class($e); }',
    'broken' => 'foreach (["broken", "throws"] as $n) try { include $v["map"][$n]; } catch (Throwable $e) { echo get_class($e), $e->getFile(), $e->getLine(); $GLOBALS["all"][] = $e; }',
    'shown' => 'echo strlen(highlight_file($v["map"]["shown"], true)), php_strip_whitespace($v["map"]["stripped"]), strlen(highlight_string("<?php " . $v["none"], true));',
    'autoloaded' => 'spl_autoload_register(fn($c) => include $v["map"][strtolower($c) === "included" ? "class" : "include"]); echo Included::f(); class_exists("NoSuchClass");',
    'through a stream' => 'class Files { public $context; private $h; function stream_open($p, $m) { $this->h = fopen(substr($p, 8), $m); return true; } function stream_read($n) { return fread($this->h, $n); } function stream_eof() { return feof($this->h); } function stream_stat() { return fstat($this->h); } function stream_set_option(...$a) { return false; } function url_stat($p, $f) { return stat(substr($p, 8)); } function stream_close() {} } stream_wrapper_register("files", "Files"); echo include "files://" . $v["map"]["include"]; $all = ["files://" . $v["map"]["once"]]; VolatileCache::set("w", [$all[0], str_repeat("x", 99)]); $w = VolatileCache::get("w"); VolatileCache::delete("w"); echo include $w[0]; echo include_once $w[0];',
    'opcache_compile_file()' => 'if (ini_get("opcache.enable")) { @opcache_compile_file($v["map"]["compiled"]); @opcache_compile_file($v["links"][0]); foreach ($v["map"] as $f) { @opcache_is_script_cached($f); } $c = "opcache_compile_file"; @$c($v["map"]["once"]); call_user_func($c, $v["map"]["twice"]); call_user_func_array($c, [$v["map"]["include"]]); (new ReflectionFunction($c))->invoke($v["map"]["shown"]); array_map($c, [$v["map"]["stripped"]]); Closure::fromCallable($c)($v["map"]["compiled"]); } echo include $v["map"]["compiled"];',
    'opcache_compile_file() by name' => 'if (ini_get("opcache.enable")) { $c = opcache_compile_file(...); $c(filename: $v["map"]["compiled"]); opcache_compile_file(...["filename" => $v["map"]["twice"]]); } echo include $v["map"]["twice"];',
    'opcache_invalidate()' => 'echo include $v["map"]["invalid"]; if (ini_get("opcache.enable")) { opcache_invalidate($v["map"]["invalid"], true); opcache_invalidate($v["links"][2], true); opcache_invalidate($v["none"]); } echo include $v["map"]["invalid"];',
    'opcache after changes' => 'touch($v["map"]["include"], 1000000000 + crc32(random_bytes(4)) % 1000000); clearstatcache(true, $v["map"]["include"]); if (ini_get("opcache.enable")) opcache_invalidate($v["map"]["include"]); echo include $v["map"]["include"]; touch($v["map"]["include"], 1); echo include $v["links"][0];',
    'opcache_reset()' => 'if (ini_get("opcache.enable")) opcache_reset(); echo include $v["map"]["once"];',
], 'opcache.revalidate_freq=0 opcache.max_accelerated_files=200');
--EXPECT--
all fine
