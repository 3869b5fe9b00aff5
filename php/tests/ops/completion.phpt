--TEST--
larder: ops: the command tells of each command what it heeds, and bash completes commands, options and values
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
echo ops_larder('help', 'doctor'), ops_larder('fsck', '--help') === ops_larder('help', 'fsck') ? "the same\n" : "other\n";
echo ops_larder('help', 'nope'), ops_larder('completion', 'sh');
$script = ops_folder() . '/larder';
file_put_contents($script, ops_larder('completion', 'bash') . '
    complete_words() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        _larder larder "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[*]}"
    }
    complete_words larder do
    complete_words larder doctor --f
    complete_words larder stats --openm
    complete_words larder get --openm
    complete_words larder --store p
    complete_words larder help f
    complete_words larder completion ""
');
echo shell_exec('bash ' . escapeshellarg($script) . ' 2>&1');
?>
--EXPECT--
Usage: larder doctor [OPTION]...

Find what is wrong with the set-up, and what to write where.

Examines the extension, the ini files, sizes, permissions and opcache of this
PHP. With --fpm, also of that pool, and whether it shares stores with the
command line. Give --fpm again for each further pool.

Options
  -j, --json              print JSON instead of a table
  -f, --fpm ADDRESS       use the stores of the FPM pool that listens on this
                          socket or HOST:PORT
      --fpm-file FILE     this program, under a name that the pool can read
  -u, --user USER         use the stores of this user; needs root, which becomes
                          that user first
  -h, --help              print this text

Examples
  larder doctor
  larder doctor --fpm /run/php/php8.2-fpm.sock
the same
larder: larder help nope: one of doctor, stats, top, keys, get, del, clear, ping, watch, warm, queues, kick, settings, fsck, completion, help is expected
exit code 2
larder: larder completion sh: one of bash, zsh and fish is expected
exit code 2
doctor
--fpm --fpm-file
--openmetrics

pinned
fsck
bash zsh fish
