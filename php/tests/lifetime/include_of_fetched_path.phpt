--TEST--
larder: lifetime: files are included by paths that were fetched, in many requests
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    $file = __DIR__ . '/included.php';
    if ($n === 0) {
        file_put_contents($file, '<?php return __FILE__;');
        file_put_contents(__DIR__ . '/once.php', '<?php class Once { const A = [1, 2]; }');
        VolatileCache::set('map', ['file' => $file, 'once' => __DIR__ . '/once.php', 'relative' => 'included.php', 'long' => __DIR__ . str_repeat('/.', 200) . '/included.php']);
        exit('stored');
    }
    $map = VolatileCache::get('map');
    $a = include $map['file']; $b = require $map['relative']; include_once $map['once']; include_once $map['once']; $c = include $map['long'];
    if (ini_get('opcache.enable')) { opcache_compile_file($map['file']); opcache_is_script_cached($map['file']); if ($n % 3 === 0) opcache_invalidate($map['file'], true); opcache_compile_file($map['long']); }
    spl_autoload_register(fn($c) => include $map['file']); class_exists('NoSuchClass');
    VolatileCache::set('map', $map);
    echo $a === $file && $b === $file && basename($c) === 'included.php' && Once::A[1] === 2 && count(get_included_files()) >= 3 ? 'fine' : 'wrong';
    CODE);
$answers = [];
for ($n = 0; $n < 12; $n++) $answers[] = $ask($n);
echo implode(' ', $answers), "\n";
--EXPECT--
stored fine fine fine fine fine fine fine fine fine fine fine
