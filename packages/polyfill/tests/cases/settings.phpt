--TEST--
polyfill: a wrong size or path switches a store off with the reason that the extension gives
--FILE--
<?php
$php = function (string $setting, string $code): string {
    $load = 'require ' . var_export(ini_get('auto_prepend_file'), true) . ';';
    return (string) shell_exec(PHP_BINARY . ' -n -d memory_limit=512M -d larder.polyfill_private=1 -d ' . escapeshellarg($setting) . ' -r ' . escapeshellarg("$load $code") . ' 2>&1');
};
$state = '$i = Larder\VolatileCache::info(); echo json_encode(Larder\VolatileCache::set("k", 1)), " ", $i->configured_memory, " ", $i->failure_reason, "\n";';
foreach (['64M', ' 2m ', '1048576', '1T', '0', '1023K', '2T', '1GB', '2 gib', '1.5G', 'soon', '', '99999999999T'] as $size) {
    echo "\"$size\": ", $php("larder.volatile_size=\"$size\"", $state);
}
foreach (['cache', './cache', sys_get_temp_dir()] as $path) {
    echo $path === sys_get_temp_dir() ? 'absolute' : $path, ': ', $php("larder.path=$path", $state);
}
echo $php('larder.session_max_size=2K', 'Larder\Sessions::write("a", str_repeat("x", 2048), 60); echo strlen(Larder\Sessions::read("a")), "\n";');
--EXPECTF--
"64M": true 67108864 
" 2m ": true 2097152 
"1048576": true 1048576 
"1T": true 134217728 
"0": false 0 larder.volatile_size is 0
"1023K": false 0 larder.volatile_size = "1023K": must be 0 or a size from 1M to 1T
"2T": false 0 larder.volatile_size = "2T": must be 0 or a size from 1M to 1T
"1GB": false 0 larder.volatile_size = "1GB": must be 0 or a size from 1M to 1T: write 1G
"2 gib": false 0 larder.volatile_size = "2 gib": must be 0 or a size from 1M to 1T: write 2G
"1.5G": false 0 larder.volatile_size = "1.5G": must be 0 or a size from 1M to 1T
"soon": false 0 larder.volatile_size = "soon": must be 0 or a size from 1M to 1T
"": false 0 larder.volatile_size = "": must be 0 or a size from 1M to 1T
"99999999999T": false 0 larder.volatile_size = "99999999999T": must be 0 or a size from 1M to 1T
cache: false 67108864 larder.path = "cache": must be an absolute path
./cache: false 67108864 larder.path = "./cache": must be an absolute path
absolute: true 67108864 
2048
