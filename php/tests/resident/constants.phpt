--TEST--
larder: resident: arrays of cases are built once per worker, objects around them by each fetch
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    class Junk { public $a; }
    for ($i = 0; $i < $n * 7 % 30; $i++) $GLOBALS['junk'][] = new Junk; // give enum cases other addresses in each request
    enum Level: string { case Low = 'low'; case High = 'high'; }
    enum Pure { case One; }
    class Field { public array $options; public ?Field $previous = null; public function __construct(public string $name, array $options) { $this->options = $options; } }
    #[AllowDynamicProperties] class Loose {}
    #[AllowDynamicProperties] class Looser { public $declared = [Level::Low]; }
    $value = [];
    $shared = ['level' => Level::High, 'deep' => [[Level::Low], [Pure::One]]];
    for ($i = 0; $i < 20; $i++) {
        $field = new Field("f$i", ['level' => $i % 2 ? Level::Low : Level::High, 'i' => $i, 'pure' => [1, 2, ['x' => 'y']], 'pair' => [Pure::One, Level::Low]]);
        $field->previous = end($value)['field'] ?? null;
        $value["f$i"] = ['field' => $field, 'shared' => $shared, 'own' => [Level::High, $shared]];
    }
    $value['loose'] = $loose = new Loose;
    $value['looser'] = $looser = new Looser;
    foreach ([$loose, $looser] as $object) { $object->a = Level::Low; $object->b = [Level::High]; } // these properties are not declared, so they are in a table of properties, which contains only constants
    $value['wrap'] = new ArrayObject([Level::Low, [Pure::One]]);
    $value['fixed'] = SplFixedArray::fromArray([Level::Low, [Level::High], 5]);
    /* Arrays with enum cases and, deep inside, objects. Some cases come before the array with the objects, some after it. */
    $far = ['level' => Level::Low, 'deep' => ['deeper' => [new Field('far', [Level::High])]]];
    $value['far'] = [Level::High, [Level::Low, $far], $far];
    $value['farther'] = [Pure::One, [[Pure::One, [new Field('farther', [])]]], [Level::Low, $far], $far];
    $only = array_fill(0, 20, null);
    foreach ($only as $i => &$v) $v = [Level::High, "text $i", [Pure::One]];
    unset($v);
    if ($n === 0) { VolatileCache::set('k', $value); VolatileCache::set('only', $only); }

    /* Returns the reference counts of the enum cases, from debug_zval_dump(). */
    $counts = function (): string { ob_start(); debug_zval_dump(Level::Low, Level::High, Pure::One); return implode(' ', array_map(intval(...), array_slice(explode('refcount(', ob_get_clean()), 1))); };
    $wrong = [];
    $expected = serialize($value);
    $got = VolatileCache::get('k');
    if (serialize($got) !== $expected) $wrong[] = 'differs: ' . serialize($got);
    if ($got['f1']['field']->options['level'] !== Level::Low || $got['f0']['own'][1]['deep'][1][0] !== Pure::One) $wrong[] = 'another case';
    if ($got['f1']['field'] === VolatileCache::get('k')['f1']['field']) $wrong[] = 'the same object';
    if (VolatileCache::getCacheStoreType('k')->name !== 'SharedGraph') $wrong[] = VolatileCache::getCacheStoreType('k')->name;
    if (VolatileCache::get('only') !== $only) $wrong[] = 'only';
    $before = $counts();
    switch ($n % 10) {
        case 1: for ($i = 0; $i < 100; $i++) { $a = VolatileCache::get('k'); } unset($a); break;
        case 2: $a = VolatileCache::get('k'); $a['f3']['field']->options['level'] = 5; $a['f3']['own'][1]['deep'][0][] = 6; foreach ($a['f4']['field']->options as &$v) { $v = 7; } unset($v); $a['f5']['field']->options[] = $a; unset($a); break;
        case 3: $a = VolatileCache::get('k'); foreach ($a as $x) if (is_array($x)) { array_walk_recursive($x, function (&$v) { $v = is_object($v) ? null : 1; }); if (isset($x['own'])) usort($x['own'], fn() => 0); } unset($a, $x); break;
        case 4: $o = VolatileCache::get('k')['wrap']; $o[] = 1; $o[1] = Level::High; unset($o[0]); $f = VolatileCache::get('k')['fixed']; $f[1] = 1; $l = VolatileCache::get('k')['loose']; $l->b[] = 1; $l->a = null; $l->c = [Level::Low]; unset($l->b, $o, $f, $l); break;
        case 5: $ring = VolatileCache::get('k'); $ring['f1']['field']->options['ring'] = $ring['f1']['field']; $ring['f2']['field']->previous = $ring['f2']['field']; $ring['f3']['field']->options['all'] = &$ring; unset($ring); gc_collect_cycles(); break;
        case 6: $GLOBALS['keep'] = VolatileCache::get('k'); VolatileCache::set('k', $value); break;
        case 7: $GLOBALS['keep'] = VolatileCache::get('k'); VolatileCache::delete('k'); VolatileCache::get('k'); VolatileCache::set('k', $GLOBALS['keep']); break;
        case 8: ini_set('display_errors', 0); echo 'fine'; ob_start(function ($text) { if (str_contains($text, 'level')) trigger_error('the end', E_USER_ERROR); return ''; }, 1); var_dump(VolatileCache::get('k')['f1']); break;
        case 9: register_shutdown_function(function () use ($got, $expected) { echo serialize($got) === $expected && serialize(VolatileCache::get('k')) === $expected ? '' : 'late'; }); $only = VolatileCache::get('only'); $only[3][2][] = 1; $only = VolatileCache::get('only'); $only[] = 5; break;
    }
    if ($n % 10 < 6) { gc_collect_cycles(); if (($after = $counts()) !== $before) $wrong[] = "counts $before -> $after"; }
    if (serialize($got) !== $expected) $wrong[] = 'changed';
    if (serialize(VolatileCache::get('k')) !== $expected) $wrong[] = 'changed for the next fetch';
    echo $wrong === [] ? 'fine' : implode(', ', $wrong);
    CODE, 0);
$answers = [];
for ($n = 0; $n < 60; $n++) $answers[$ask($n)][] = $n;

foreach ($answers as $answer => $which) echo $answer, $answer === 'fine' ? '' : ': ' . implode(' ', $which), "\n";
?>
--EXPECT--
fine
