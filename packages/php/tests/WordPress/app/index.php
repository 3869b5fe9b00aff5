<?php

declare(strict_types=1);

/* Serves WordPress, which lies in wp/, and pages that the test asks for: nginx sends everything here. */

$path = rawurldecode((string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if ($path === '/status') {
    exit('ok');
}
if (preg_match('#^/do/(\w+)$#', $path, $match)) {
    require __DIR__ . "/wp/wp-load.php";
    require __DIR__ . '/do.php';
    exit(json_encode(do_it($match[1]), JSON_UNESCAPED_SLASHES));
}
if (isset($_GET['larder_stats'])) {
    register_shutdown_function(function (): void {
        $cache = $GLOBALS['wp_object_cache'];
        echo json_encode(['queries' => $GLOBALS['wpdb']->num_queries, 'sql' => array_column($GLOBALS['wpdb']->queries ?? [], 0), 'hits' => $cache->cache_hits, 'misses' => $cache->cache_misses, 'opcache' => opcache_get_status(false)['opcache_statistics']['hits'] ?? null]);
    });
}
$path = preg_replace('#^/(?!wp-)[_0-9a-zA-Z-]+(/(?:wp-(?:content|admin|includes).*|[^/]*\.php))$#', '$1', $path);
$file = realpath(__DIR__ . "/wp$path");
if ($file !== false && is_dir($file)) {
    $path = rtrim($path, '/') . '/index.php';
    $file = realpath(__DIR__ . "/wp$path");
}
if ($file === false) {
    $path = '/index.php';
    $file = __DIR__ . '/wp/index.php';
}
if (!str_ends_with($file, '.php')) {
    readfile($file);
    exit;
}
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $path;
$_SERVER['SCRIPT_FILENAME'] = $file;
$_SERVER['DOCUMENT_ROOT'] = __DIR__ . '/wp';
chdir(dirname($file));
require $file;
