<?php

/* Loads Debian's Messenger, and the packages that its commands need. */

declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
foreach (['Messenger', 'Console', 'EventDispatcher'] as $component) {
    require_once "Symfony/Component/$component/autoload.php";
}
