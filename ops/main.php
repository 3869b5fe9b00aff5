<?php

/*
 * What larder.php does, by who runs it: the command line, a command that asks a pool of FPM, or a web server for the
 * dashboard. Development runs it here; bundle.php makes one file of it.
 */

declare(strict_types=1);

namespace Larder\Ops;

foreach (glob(__DIR__ . '/src/*.php') ?: [] as $file) { // bundle: replaced by the files
    require_once $file;
}

const VERSION = '0.1.0';

if (PHP_SAPI === 'cli') {
    exit(Command::main(array_slice($_SERVER['argv'], 1), (string) realpath($_SERVER['SCRIPT_FILENAME']), VERSION));
}
if (!Agent::answer()) {
    Dashboard::serve($_SERVER);
}
