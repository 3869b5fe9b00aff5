--TEST--
larder: object: Carbon's periods come back as from unserialize()
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/carbon.php';
if (carbon_autoload() === null) die('skip composer cannot install nesbot/carbon');
?>
--INI--
date.timezone=Europe/Paris
error_reporting=E_ALL & ~E_DEPRECATED
memory_limit=256M
--FILE--
<?php
use Carbon\CarbonPeriod;
use Larder\VolatileCache;

require __DIR__ . '/../include/carbon.php';
require carbon_autoload();
/* PHP 8.2 leaks memory when a CarbonPeriod is made, so turn off a debug build's report. PHP 8.5 has deprecated this setting. */
PHP_VERSION_ID >= 80500 || ini_set('report_memleaks', '0');
foreach ([CarbonPeriod::create('2024-01-01', '1 day', '2024-01-05'), CarbonPeriod::create('2024-03-30 02:30', 'PT6H', 9)] as $period) {
    var_dump(VolatileCache::set('period', $period));
    for ($i = 0; $i < 2; $i++) {
        $wanted = unserialize(serialize($period));
        $got = VolatileCache::get('period');
        var_dump(get_class($got) === CarbonPeriod::class, serialize($got) === serialize($wanted), count($got));
        $dates = fn(CarbonPeriod $of): array => array_map(fn($date) => $date->format('c u T e'), iterator_to_array($of));
        var_dump($dates($got) === $dates($wanted));
    }
}
--EXPECT--
bool(true)
bool(true)
bool(true)
int(5)
bool(true)
bool(true)
bool(true)
int(5)
bool(true)
bool(true)
bool(true)
bool(true)
int(9)
bool(true)
bool(true)
bool(true)
int(9)
bool(true)
