<?php
/* Loads Carbon from Packagist, which is installed once into build/php/carbon. LARDER_CARBON may name the file that loads another
 * version. */

/** Returns the file that loads Carbon; null: Carbon cannot be installed. */
function carbon_autoload(): ?string
{
    if (($other = getenv('LARDER_CARBON')) !== false) {
        return $other;
    }
    $folder = dirname(__DIR__, 3) . '/build/php/carbon';
    $file = "$folder/vendor/autoload.php";
    if (!is_file($file)) {
        @mkdir($folder, 0777, true);
        $lock = fopen("$folder/lock", 'c');
        flock($lock, LOCK_EX);
        if (!is_file($file)) {
            exec('cd ' . escapeshellarg($folder) . ' && composer --no-interaction --no-plugins --quiet require nesbot/carbon 2>&1', $output, $status);
        }
        fclose($lock);
    }
    return is_file($file) ? $file : null;
}
