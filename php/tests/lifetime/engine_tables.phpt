--TEST--
larder: lifetime: fetched strings as names and settings of the engine, over many requests
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    if ($n === 0) { VolatileCache::set('n', ['tz' => 'Europe/Berlin', 'const' => 'LARDER_' . str_repeat('C', 300), 'class' => 'Larder' . str_repeat('K', 300), 'env' => 'LARDER_ENV=' . str_repeat('v', 300), 'locale' => 'C', 'agent' => str_repeat('u', 300), 'func' => 'strlen', 'method' => 'format', 'ns' => 'Larder\\VolatileCache', 'code' => 'return ' . str_repeat('1+', 200) . '1;', 'mime' => 'text/x-' . str_repeat('m', 300), 'charset' => 'UTF-8', 'prop' => 'p' . str_repeat('q', 300)]); exit('stored'); }
    #[AllowDynamicProperties] class Aliased extends ArrayObject {} $v = VolatileCache::get('n');
    date_default_timezone_set($v['tz']); ini_set('user_agent', $v['agent']); ini_set('date.timezone', $v['tz']); ini_set('default_charset', $v['charset']); setlocale(LC_ALL, $v['locale']); putenv($v['env']);
    define($v['const'], $v); class_alias('Aliased', $v['class']); header('Content-Type: ' . $v['mime']); ini_set('default_mimetype', $v['mime']); ini_set('error_prepend_string', $v['agent']); mb_internal_encoding_or_not($v['charset']);
    function mb_internal_encoding_or_not($c) { if (function_exists('mb_internal_encoding')) mb_internal_encoding($c); }
    $f = $v['func']; $o = new $v['class']([1]); $p = $v['prop']; $o->$p = 1; $m = $v['method']; $d = new DateTime('2024-01-01'); $g = [$v['ns'], 'has'];
    set_include_path(__DIR__ . PATH_SEPARATOR . $v['agent']); assert_options_or_not(); function assert_options_or_not() { return 1; }
    $r = [$f($v['agent']), constant($v['const'])['tz'], $o->$p, $d->$m('Y'), $g('n'), eval($v['code']), getenv('LARDER_ENV') === str_repeat('v', 300), $v['ns']::has('n'), is_callable($v['ns'] . '::get'), (new ReflectionClass($v['ns']))->getShortName()];
    VolatileCache::delete('n');
    for ($i = 0; $i < 300; $i++) VolatileCache::set("fill$i", str_repeat("\x9b", 5000));
    VolatileCache::set('n', $v);
    echo json_encode($r);
    CODE, 0, 'larder.volatile_size=2M');
$answers = [];
for ($n = 0; $n < 10; $n++) $answers[] = $ask($n);
echo implode("\n", array_unique($answers)), "\n";
--EXPECT--
stored
[300,"Europe\/Berlin",1,"2024",true,201,true,true,true,"VolatileCache"]
