<?php
/* Loads the packages' classes before the cases. */
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED); // frameworks may be older than this PHP
require dirname(__DIR__, 2) . '/build/adapters/vendor/autoload.php';
require __DIR__ . '/times.php';
