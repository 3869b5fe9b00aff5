<?php

/*
 * Starts larder.php as the command, as a worker of FPM that the command asks, or as a web server's dashboard. Developers run this file;
 * bundle.php combines it with the files in src.
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
