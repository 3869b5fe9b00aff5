<?php

/* forms.php - measures the size of values in each form (ready: read in place; packed: compressed), and how often values change form.
 *
 *   php -n -d extension=.../larder.so -d extension=igbinary -d larder.enable_cli=1 -d larder.form=packed bench/php/forms.php [--rounds=N]
 * [--kind=NAME]
 *   php -n -d extension=.../larder.so -d larder.enable_cli=1 -d larder.volatile_size=16M bench/php/forms.php --flips [--requests=N]
 *
 * The first command prints the bytes of each kind of value: ready, packed, and as text of PHP's serializer, of igbinary, and of igbinary
 * with LZ4 (its text, packed by Larder). It also prints the time of a set and of a get of the packed form (the best of interleaved rounds),
 * beside the times to encode with igbinary and LZ4, and to decode. The last lines are geometric means of bytes, and medians of times.
 *
 * The second command gets values of mixed kinds, and stores each missing value. There are eight times as many values as fit. After each
 * tenth of the requests, other keys become popular. For each tenth, the command prints the hits, the share of packed entries, and the
 * changes of form in each direction, in % of the requests. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Larder\VolatileCache as Cache;

const SYLLABLES = ['ba', 'der', 'lin', 'mo', 'ra', 'sti', 'ton', 've', 'kla', 'pu', 'gen', 'si', 'or', 'ma', 'fe', 'nd'];
const STATES = ['active', 'pending', 'closed', 'draft', 'archived'];

enum State: string
{
    case A = 'active';
    case P = 'pending';
    case C = 'closed';
    case D = 'draft';
    case R = 'archived';
}

final class Address
{
    public function __construct(public readonly string $street, public readonly string $zip, public readonly string $city, public readonly string $country) {}
}

final class User
{
    public function __construct(public readonly int $id, public readonly string $name, public readonly string $email, public readonly Address $address, public readonly State $state, public readonly array $roles) {}
}

class Customer
{
    public array $orders = [];

    public function __construct(public int $id, protected string $name, private ?string $email) {}
}

class Order
{
    protected array $items = [];
    private string $state = 'new';

    public function __construct(public int $id, public Customer $customer, protected DateTimeImmutable $created) {}

    public function add(Item $item): void
    {
        $this->items[] = $item;
    }
}

class Item
{
    public function __construct(public int $id, protected Order $order, protected string $title, protected float $price, protected int $quantity) {}
}

class Field
{
    public function __construct(public string $type, public string $name, public string $column, public ?int $length, public ?bool $nullable, public ?bool $unique, public ?int $precision, public ?array $options) {}
}

class Mapping
{
    public array $fields = [];
    public array $columns = [];
    public array $identifier = ['id'];
    public ?string $repository = null;

    public function __construct(public string $name, public string $table) {}
}

/** Makes values like those of applications, from their kind and a number. */
final class Values
{
    public const KINDS = ['order', 'products', 'rows1x8', 'rows1x20', 'rows10x4', 'rows10x8', 'rows10x20', 'rows100x4', 'rows100x8', 'rows100x20', 'ids', 'dtos', 'entities', 'mapping', 'objects', 'routes', 'options', 'catalogue'];

    private int $state;

    private function __construct(int $seed)
    {
        $this->state = $seed * 2654435761 + 97531 & 0x7fffffff;
    }

    public static function make(string $kind, int $seed): mixed
    {
        $make = new self($seed);
        return preg_match('/^rows(\d+)x(\d+)$/', $kind, $m) ? $make->rows((int) $m[1], (int) $m[2]) : $make->$kind();
    }

    private function next(int $below): int
    {
        $this->state = $this->state * 1103515245 + 12345 & 0x7fffffff;
        return ($this->state >> 5) % $below;
    }

    /** One of 4,096 words. */
    private function word(): string
    {
        $n = $this->next(4096);
        return SYLLABLES[$n & 15] . SYLLABLES[$n >> 4 & 15] . ($n & 1 ? SYLLABLES[$n >> 8] : '');
    }

    private function words(int $count): string
    {
        return implode(' ', array_map(fn() => $this->word(), range(1, $count)));
    }

    private function date(): string
    {
        return gmdate('Y-m-d H:i:s', 1700000000 + $this->next(40000000));
    }

    private function money(): float
    {
        return $this->next(100000) / 100;
    }

    private function rows(int $count, int $columns): array
    {
        $rows = [];
        for ($i = 0, $id = $this->next(900000); $i < $count; $i++, $id += 1 + $this->next(3)) {
            [$a, $b] = [$this->word(), $this->word()];
            if ($columns === 4) {
                $rows[] = ['id' => $id, 'name' => ucfirst($a) . ' ' . ucfirst($b), 'status' => STATES[$this->next(5)], 'created_at' => $this->date()];
                continue;
            }
            $row = ['id' => $id, 'name' => ucfirst($a) . ' ' . ucfirst($b), 'email' => "$a.$b@example.com", 'status' => STATES[$this->next(5)], 'price' => $this->money(),
                'parent_id' => $this->next(2) ? $id - 7 : null, 'created_at' => $date = $this->date(), 'updated_at' => $this->next(2) ? $date : $this->date()];
            $rows[] = $columns === 8 ? $row : $row + ['sku' => strtoupper(substr($b, 0, 3)) . '-' . $this->next(100000), 'slug' => "$a-$b-$id", 'description' => $this->words(12),
                'quantity' => $this->next(200), 'weight' => $this->next(1000) / 10, 'is_active' => $this->next(2), 'is_featured' => 0, 'deleted_at' => null, 'locale' => 'en_GB',
                'currency' => 'EUR', 'category_id' => $this->next(300), 'meta' => '{"color":"' . $this->word() . '","size":' . $this->next(50) . ',"tags":["' . $a . '","' . $b . '"]}'];
        }
        return $rows;
    }

    private function order(): array
    {
        $items = [];
        for ($i = 0; $i < 5; $i++) {
            $items[] = ['product_id' => $this->next(100000), 'title' => $this->words(4), 'quantity' => 1 + $this->next(5), 'price' => ['amount' => $this->money(), 'currency' => 'EUR'], 'options' => ['color' => $this->word(), 'size' => 'M']];
        }
        $address = ['street' => $this->words(2), 'zip' => (string) (10000 + $this->next(80000)), 'city' => $this->word(), 'country' => 'DE'];
        return ['id' => $this->next(1 << 26), 'customer' => ['id' => $this->next(100000), 'name' => $this->words(2), 'email' => $this->word() . '@example.org', 'address' => $address],
            'items' => $items, 'totals' => ['net' => $this->money(), 'tax' => 19.0, 'gross' => $this->money()], 'state' => 'paid', 'created' => $this->date(), 'tags' => [$this->word(), $this->word()]];
    }

    private function products(): array
    {
        $all = [];
        for ($i = 0; $i < 20; $i++) {
            $all[] = ['id' => $this->next(1 << 26), 'name' => $this->words(3), 'description' => $this->words(18), 'price' => $this->money(), 'images' => ['/img/' . $this->next(1 << 20) . '.jpg', '/img/' . $this->next(1 << 20) . '.jpg'],
                'attributes' => ['brand' => $this->word(), 'color' => $this->word(), 'weight' => $this->next(1000) / 10], 'in_stock' => (bool) $this->next(2), 'rating' => ['avg' => $this->next(50) / 10, 'count' => $this->next(500)]];
        }
        return ['data' => $all, 'page' => 1, 'total' => $this->next(5000)];
    }

    private function ids(): array
    {
        return array_map(fn() => $this->next(1 << 26), range(1, 100));
    }

    private function dtos(): array
    {
        return array_map(fn() => new User($this->next(1 << 26), $this->words(2), $this->word() . '@example.org', new Address($this->words(2), (string) $this->next(90000), $this->word(), 'DE'), State::from(STATES[$this->next(5)]), [$this->word(), $this->word()]), range(1, 5));
    }

    private function entities(): array
    {
        $customer = new Customer($this->next(1 << 26), $this->words(2), $this->word() . '@example.org');
        for ($i = 0; $i < 3; $i++) {
            $order = new Order($this->next(1 << 26), $customer, new DateTimeImmutable('@' . 1700000000 + $this->next(40000000)));
            for ($j = 0; $j < 4; $j++) {
                $order->add(new Item($this->next(1 << 26), $order, $this->words(3), $this->money(), 1 + $this->next(4)));
            }
            $customer->orders[] = $order;
        }
        return $customer->orders;
    }

    private function mapping(): Mapping
    {
        $mapping = new Mapping('App\\Entity\\' . ucfirst($this->word()), $this->word());
        for ($i = 0, $count = 8 + $this->next(10); $i < $count; $i++) {
            $name = $this->word() . "_$i";
            $mapping->fields[$name] = new Field(['integer', 'string', 'datetime', 'boolean'][$this->next(4)], $name, $name, 255, false, false, null, null);
            $mapping->columns[$name] = $name;
        }
        return $mapping;
    }

    private function objects(): array
    {
        return array_map(fn(array $row) => (object) $row, $this->rows(10, 8));
    }

    private function routes(): array
    {
        $routes = [];
        for ($i = 0; $i < 200; $i++) {
            $routes['/' . $this->word() . '/' . $this->word() . "/$i"] = [[['_route' => "app_$i", '_controller' => 'App\\Controller\\' . ucfirst($this->word()) . 'Controller::' . $this->word()], null, ['GET' => 0] + ($i % 2 ? [] : ['POST' => 1]), null, false, $i % 3 === 0, null]];
        }
        return $routes;
    }

    private function options(): array
    {
        $options = [];
        for ($i = 0; $i < 300; $i++) {
            $options['option_' . $this->word() . "_$i"] = match ($i % 4) {
                0 => 'yes', 1 => 'no', 2 => $this->words(2), 3 => serialize(['enabled' => 'yes', 'title' => $this->words(2), 'limit' => 10]),
            };
        }
        return $options;
    }

    private function catalogue(): array
    {
        $texts = [];
        for ($i = 0; $i < 1000; $i++) {
            $texts[$this->words(4) . " $i"] = $this->words(5);
        }
        return ['messages' => $texts];
    }
}

/** @param array<string, mixed> $options */
function option(array $options, string $name, int $default): int
{
    return isset($options[$name]) ? max(1, (int) $options[$name]) : $default;
}

/** Throws if a fetched value differs from the stored one. Compares the texts of PHP's serializer, which are the same for equal values. */
function same(mixed $is, mixed $should, string $kind): void
{
    serialize($is) === serialize($should) || throw new RuntimeException("a value of kind $kind is not as it was stored");
}

/**
 * Returns the shortest time of a call of each function, in microseconds.
 * @param array<string, Closure> $calls
 * @return array<string, float>
 */
function best(array $calls, int $times, int $rounds): array
{
    $best = array_fill_keys(array_keys($calls), INF);
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($calls as $name => $call) {
            $start = hrtime(true);
            for ($i = 0; $i < $times; $i++) {
                $call();
            }
            $best[$name] = min($best[$name], (hrtime(true) - $start) / $times / 1000);
        }
    }
    return $best;
}

function median(array $values): float
{
    sort($values);
    return $values[intdiv(count($values), 2)];
}

function geometric(array $ratios): float
{
    return exp(array_sum(array_map('log', $ratios)) / count($ratios));
}

function kinds(array $options): void
{
    extension_loaded('igbinary') && ini_get('larder.form') === 'packed' || fail("-d extension=igbinary and -d larder.form=packed are needed\n");
    $ratios = ['igbinary' => [], 'lz4' => [], 'php' => [], 'set' => [], 'get' => []];
    printf("%-10s %8s %8s %8s %8s %8s | %8s %8s %5s | %8s %8s %5s\n", 'bytes', 'ready', 'php', 'igbinary', '+ LZ4', 'packed', 'ig + LZ4', 'set us', 'x', 'igbinary', 'get us', 'x');
    foreach (isset($options['kind']) ? [$options['kind']] : Values::KINDS as $kind) {
        $text = igbinary_serialize(Values::make($kind, 7));
        $value = igbinary_unserialize($text); // makes $value share its strings exactly where igbinary shares them
        Cache::set('value', $value);
        Cache::set('text', $text);
        same(Cache::get('value'), $value, $kind);
        same(Cache::get('text'), $text, $kind);
        $info = Cache::keyInfo('value');
        $lz4 = Cache::keyInfo('text')->form === 'packed' ? Cache::keyInfo('text')->size - 16 : strlen($text); // subtract the head of a packed value
        $time = best([
            'encode' => fn() => igbinary_serialize($value), 'lz4' => fn() => Cache::set('text', $text), 'short' => fn() => Cache::set('short', 'x'), 'set' => fn() => Cache::set('value', $value),
            'decode' => fn() => igbinary_unserialize($text), 'get' => fn() => Cache::get('value'), 'get short' => fn() => Cache::get('short'),
        ], max(10, intdiv(300000, strlen($text) + 300)), option($options, 'rounds', 9));
        [$peer, $set, $get] = [$time['encode'] + $time['lz4'] - $time['short'], $time['set'] - $time['short'], $time['get'] - $time['get short']];
        printf("%-10s %8d %8d %8d %8d %8d | %8.2f %8.2f %5.2f | %8.2f %8.2f %5.2f\n", $kind, $info->ready_size, strlen(serialize($value)), strlen($text), $lz4, $info->size, $peer, $set, $set / $peer, $time['decode'], $get, $get / $time['decode']);
        $ratios['php'][] = $info->size / strlen(serialize($value));
        $ratios['igbinary'][] = $info->size / strlen($text);
        $ratios['lz4'][] = $info->size / $lz4;
        $ratios['set'][] = $set / $peer;
        $ratios['get'][] = $get / $time['decode'];
        if (str_starts_with($kind, 'rows') && $info->size > strlen($text)) {
            fail("$kind: packed is larger than igbinary\n");
        }
    }
    printf("packed bytes, geometric means: %.2f of PHP's serializer, %.2f of igbinary, %.2f of igbinary with LZ4\n", geometric($ratios['php']), geometric($ratios['igbinary']), geometric($ratios['lz4']));
    printf("time, medians: a set %.2f of igbinary's encoding and LZ4, a get %.2f of its decoding\n", median($ratios['set']), median($ratios['get']));
}

function flips(array $options): void
{
    $requests = option($options, 'requests', 1000000);
    $kinds = ['rows1x8', 'rows10x8', 'order', 'dtos', 'rows1x20', 'ids', 'rows10x4', 'objects'];
    $bytes = array_sum(array_map(function (string $kind): int {
        Cache::set('value', Values::make($kind, 7), form: 'ready');
        return Cache::keyInfo('value')->ready_size;
    }, $kinds)) / count($kinds);
    $keys = (int) (8 * Cache::info()->configured_memory / $bytes);
    $inspector = Larder\Inspector::own('volatile');
    mt_srand(47);
    printf("%d keys of %d bytes in %d MB, %d requests\n%6s %7s %8s %8s %8s %9s\n", $keys, $bytes, Cache::info()->configured_memory >> 20, $requests, 'part', 'hits', 'packed', 'falls', 'rises', 'unpacks');
    $worst = 0.0;
    for ($part = 1, $before = $inspector->stats(); $part <= 10; $part++, $before = $now) {
        for ($i = 0, $hits = 0; $i < $requests / 10; $i++) {
            // Keys with low numbers are more popular. There are ten parts. Each part shifts the numbers, so that other keys become popular.
            $key = ((int) ($keys * (mt_rand() / mt_getrandmax()) ** 4) + $part * intdiv($keys, 10)) % $keys;
            if (Cache::get("k$key") !== null) {
                $hits++;
                continue;
            }
            Cache::set("k$key", Values::make($kinds[$key % count($kinds)], $key));
        }
        $now = $inspector->stats();
        $rate = fn(string $name): float => 100 * ($now[$name] - $before[$name]) / ($requests / 10);
        $worst = max($worst, $part > 1 ? $rate('falls') + $rate('rises') : 0);
        printf("%6d %6.1f%% %7.1f%% %7.2f%% %7.2f%% %8.1f%%\n", $part, 100 * $hits / ($requests / 10), 100 * $now['packed_entries'] / $now['entries'], $rate('falls'), $rate('rises'), $rate('unpacks'));
    }
    printf("changes of form after the first part: at most %.2f %% of requests\n", $worst);
}

$options = getopt('', ['rounds:', 'kind:', 'requests:', 'flips']);
isset($options['flips']) ? flips($options) : kinds($options);
