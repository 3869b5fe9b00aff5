--TEST--
larder: ops: zsh is told of every command, and of the options that each heeds
--EXTENSIONS--
larder
--SKIPIF--
<?php if (trim((string) shell_exec('command -v zsh')) === '') die('skip needs zsh'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$script = ops_folder() . '/larder';
/* _arguments replaces zsh's function: it prints its arguments, and acts as if a command was typed. */
file_put_contents($script, '
    compdef() { print "$1 completes $2"; }
    _describe() { :; }
    _arguments() { print "$#: $@[1,2] ... $@[-1]"; state=argument; line=($word); }
' . ops_larder('completion', 'zsh') . '
    for word in get completion; do print -r -- "-- $word"; _larder; done
');
echo shell_exec('zsh -f ' . escapeshellarg($script) . ' 2>&1');
?>
--EXPECT--
_larder completes larder
-- get
38: -C (-s --scope)-s[use the named stores of larder.scope = NAME]:name:  ... *::argument:->argument
18: (-j --json)-j[print JSON instead of a table] (-j --json)--json[print JSON instead of a table] ... (-h --help)--help[print this text]
-- completion
38: -C (-s --scope)-s[use the named stores of larder.scope = NAME]:name:  ... *::argument:->argument
3: (-h --help)-h[print this text] (-h --help)--help[print this text] ... 1:word:(bash zsh fish)
