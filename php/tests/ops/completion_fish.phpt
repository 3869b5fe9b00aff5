--TEST--
larder: ops: fish completes commands, the options that each heeds, and values
--EXTENSIONS--
larder
--SKIPIF--
<?php if (trim((string) shell_exec('command -v fish')) === '') die('skip needs fish'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
file_put_contents("$folder/larder", ops_larder('completion', 'fish') . '
    for line in "larder do" "larder doctor --f" "larder get --openm" "larder top --order u" "larder completion "
        echo "-- $line"
        complete -C $line | string split -f 1 \t
    end
');
echo shell_exec("HOME=$folder XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder fish --no-config $folder/larder 2>&1");
?>
--EXPECT--
-- larder do
doctor
-- larder doctor --f
--fpm
--fpm-file
-- larder get --openm
-- larder top --order u
uses
-- larder completion 
bash
fish
zsh
