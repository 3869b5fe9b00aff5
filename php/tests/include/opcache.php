<?php
/* Settings that load opcache into a PHP or php-fpm that a test starts with -n. From PHP 8.5 on, opcache is built in. */

/* Returns the settings that load opcache, or null if this PHP has none. */
function opcache_load(): ?array
{
    if (PHP_VERSION_ID >= 80500) {
        return [];
    }
    $module = ini_get('extension_dir') . '/opcache.so';
    return is_file($module) ? ["zend_extension=$module"] : null;
}

/* Returns settings with which opcache works in another PHP process in the same way as in this process. */
function opcache_settings(): array
{
    if (!extension_loaded('Zend OPcache')) {
        return [];
    }
    if (!ini_get('opcache.enable_cli')) {
        return [...opcache_load(), 'opcache.enable=0'];
    }
    return [...opcache_load(), 'opcache.enable_cli=1', 'opcache.file_update_protection=0', ...array_map(fn ($name) => "$name=" . ini_get($name), ['opcache.jit', 'opcache.jit_buffer_size'])];
}

/* Turns settings into options for PHP's command line. */
function opcache_options(?array $settings): array
{
    return array_merge(...array_map(fn ($setting) => ['-d', $setting], $settings ?? []));
}
