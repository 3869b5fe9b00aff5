<?php

/* sizes.php - prints the table of docs/sizing.md: for each value, the bytes of its entry in a store, as in `larder top`, and of its text
 * from PHP's serializer and igbinary.
 *
 *   php -n -d extension=igbinary -d extension=.../larder.so bench/php/sizes.php
 *
 * The key of each entry has 20 bytes. Nothing is evicted, so each value is ready. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Larder\Inspector;
use Larder\VolatileCache;

/** For each value: its title, and the PHP code that makes it. */
const VALUES = [
    'null, bool' => 'true',
    'int' => '123456',
    'float' => '1.5',
    'string of 10 bytes' => "str_repeat('x', 10)",
    'string of 100 bytes' => "str_repeat('x', 100)",
    'string of 10,000 bytes' => "str_repeat('x', 10000)",
    'list of 10 ints' => 'range(1, 10)',
    'list of 1,000 ints' => 'range(1, 1000)',
    'array of 10 short strings by name' => "['host' => 'db1', 'user' => 'shop', 'base' => 'orders', 'port' => '5432', 'mode' => 'require', 'role' => 'reader', 'zone' => 'eu-west-1', 'lang' => 'en_GB', 'time' => 'UTC', 'cert' => 'none']",
    'list of 1,000 different strings of 20 bytes' => "array_map(fn(\$i) => sprintf('string number %06d', \$i), range(1, 1000))",
    '100 rows of 8 columns' => "array_map(fn(\$i) => ['id' => \$i, 'name' => \"Product \$i\", 'price' => \$i * 1.25, 'stock' => \$i % 7, 'active' => \$i % 2 === 0, 'category' => 'category ' . \$i % 10, 'created' => '2026-01-01 12:00:00', 'note' => null], range(1, 100))",
    'object of 2 properties' => 'new Point(1, 2)',
    '1,000 objects of 4 properties' => 'array_map(fn($i) => new Product($i, "Product $i", $i * 1.25, $i % 2 === 0), range(1, 1000))',
    'DateTimeImmutable' => "new DateTimeImmutable('2026-01-01 12:00:00 UTC')",
];

class Point
{
    public function __construct(public int $x, public int $y) {}
}

class Product
{
    public function __construct(public int $id, public string $name, public float $price, public bool $stocked) {}
}

$key = str_repeat('k', 20);
foreach (VALUES as $name => $code) {
    $value = eval("return $code;");
    VolatileCache::set($key, $value);
    $bytes = [Inspector::own('volatile')->entries($key, 'key', 1)[0]['bytes'], strlen(serialize($value)), strlen(igbinary_serialize($value))];
    echo "| $name | `$code` | ", implode(' | ', array_map(number_format(...), $bytes)), " |\n";
}
