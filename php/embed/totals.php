<?php
/* The last request of embed_threads.c: compares the totals of all threads with what is stored. */

use Larder\PinnedCache;

foreach (['increments' => 'counter', 'guarded' => 'guarded'] as $count => $key) {
    $stored = PinnedCache::get($key, 0);
    if ($stored !== host_total($count)) {
        host_wrong("$key is $stored, but $count: " . host_total($count));
    }
}

// If a session was open when its request ended, the visit may be lost. So only the minimum and the maximum are known.
$visits = 0;
for ($i = 0; $i < 5; $i++) {
    session_id("s$i");
    session_start();
    $visits += $_SESSION['n'] ?? 0;
    session_write_close();
}
if ($visits < host_total('session visits') || $visits > host_total('session visits') + host_total('sessions left open')) {
    host_wrong("sessions count $visits, but there were " . host_total('session visits') . ' visits and ' . host_total('sessions left open') . ' left open');
}

// Threads that have ended must have given back their slots.
ob_start();
phpinfo(INFO_MODULES);
preg_match_all('/Processes and threads attached => (\d+)/', ob_get_clean(), $slots);
foreach ($slots[1] ?: [PHP_INT_MAX] as $attached) {
    if ($attached > host_threads() + 2) {
        host_wrong("$attached slots are taken by " . host_threads() . ' threads');
    }
}
