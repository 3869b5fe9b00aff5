<?php

declare(strict_types=1);

/* Serves Debian's MediaWiki with the settings that lie beside the application. */

if ($_SERVER['REQUEST_URI'] === '/status') {
    exit('ok');
}
error_reporting(0);
define('MW_CONFIG_FILE', $_SERVER['LARDER_WIKI']);
$script = preg_match('#^/(api|load)\.php#', $_SERVER['REQUEST_URI'], $match) ? "$match[1].php" : 'index.php';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = "/$script";
$_SERVER['SCRIPT_FILENAME'] = "/usr/share/mediawiki/$script";
chdir('/usr/share/mediawiki');
require "/usr/share/mediawiki/$script";
