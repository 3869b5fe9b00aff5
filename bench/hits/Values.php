<?php

declare(strict_types=1);

namespace Bench\Hits;

final class Customer
{
    public function __construct(public int $id, public string $name, public string $email, public array $tags) {}
}

final class Item
{
    public function __construct(public int $product, public string $title, public int $count, public float $price) {}
}

final class Order
{
    /** @param list<Item> $items */
    public function __construct(public int $id, public Customer $customer, public array $items, public string $status, public ?string $note) {}
}

/**
 * Makes values like those of web applications, from the mix and the number of the key. Words, dates and numbers make serializers and
 * compression save about as much as with real values.
 *
 * The mix "site" has rows, lists, settings, translations, objects, pieces of HTML and short strings. The mix "rows" has query results of 1
 * to 200 rows.
 */
final class Values
{
    private const SYLLABLES = ['ba', 'co', 'der', 'en', 'fir', 'ga', 'hol', 'in', 'ka', 'lum', 'mer', 'no', 'or', 'pe', 'qua', 'ri', 'sta', 'ten', 'ul', 'ver', 'wo', 'zen'];

    /** @var list<string> */
    private static array $words = [];

    public static function make(string $mix, int $id): mixed
    {
        mt_srand($id * 2 + ($mix === 'rows' ? 1 : 0));
        if ($mix === 'rows') {
            return self::rows(self::size(1, 200));
        }
        return match (true) {
            ($kind = mt_rand(0, 99)) < 25 => self::row($id),
            $kind < 40 => self::html(self::size(500, 12000)),
            $kind < 55 => self::rows(self::size(5, 40)),
            $kind < 65 => self::settings(self::size(20, 150)),
            $kind < 78 => self::order($id),
            $kind < 90 => self::text(self::size(3, 30)),
            $kind < 97 => self::texts(self::size(100, 600)),
            default => self::html(self::size(30000, 150000)),
        };
    }

    /** Returns a random number from $least to $most. Its logarithm is evenly distributed, so small numbers are more likely. */
    private static function size(int $least, int $most): int
    {
        return (int) ($least * ($most / $least) ** (mt_rand() / mt_getrandmax()));
    }

    /** Returns one of 2,000 words. The first words are more likely. */
    private static function word(): string
    {
        if (self::$words === []) {
            $count = count(self::SYLLABLES);
            for ($i = 0; $i < 2000; $i++) {
                self::$words[] = self::SYLLABLES[$i % $count] . self::SYLLABLES[intdiv($i, $count) % $count] . ($i % 3 ? self::SYLLABLES[$i * 7 % $count] : '');
            }
        }
        return self::$words[intdiv(mt_rand(0, 1999) * mt_rand(0, 1999), 2000)];
    }

    private static function text(int $words): string
    {
        $text = ucfirst(self::word());
        while (--$words > 0) {
            $text .= ' ' . self::word();
        }
        return $text;
    }

    /** @return array<string, mixed> a row of a table with eight columns */
    private static function row(int $id): array
    {
        return [
            'id' => $id, 'title' => self::text(4), 'slug' => self::word() . '-' . self::word(), 'author' => ucfirst(self::word()) . ' ' . ucfirst(self::word()),
            'price' => mt_rand(100, 99999) / 100, 'active' => mt_rand(0, 9) > 0, 'created_at' => sprintf('2025-%02d-%02d %02d:00:00', mt_rand(1, 12), mt_rand(1, 28), mt_rand(0, 23)), 'parent' => mt_rand(0, 2) ? null : mt_rand(1, 5000),
        ];
    }

    /** @return list<array<string, mixed>> */
    private static function rows(int $count): array
    {
        $rows = [];
        for ($i = 0; $i < $count; $i++) {
            $rows[] = self::row(mt_rand(1, 100000));
        }
        return $rows;
    }

    private static function html(int $bytes): string
    {
        $html = '<section class="content">';
        while (strlen($html) < $bytes) {
            $html .= sprintf("\n  <article id=\"a%d\"><h2><a href=\"/%s/%s\">%s</a></h2><p>%s.</p></article>", mt_rand(1, 99999), self::word(), self::word(), self::text(4), self::text(30));
        }
        return $html . "\n</section>";
    }

    /** @return array<string, mixed> settings of services, as in the container of a framework */
    private static function settings(int $services): array
    {
        $settings = ['debug' => false, 'locale' => 'en', 'secret' => bin2hex(pack('V4', mt_rand(), mt_rand(), mt_rand(), mt_rand()))];
        for ($i = 0; $i < $services; $i++) {
            $settings['services'][self::word() . '.' . self::word()] = ['class' => 'App\\Service\\' . ucfirst(self::word()), 'arguments' => ['@' . self::word(), '%' . self::word() . '%', $i], 'public' => $i % 3 === 0, 'tags' => []];
        }
        return $settings;
    }

    private static function order(int $id): Order
    {
        $items = [];
        for ($i = self::size(1, 12); $i > 0; $i--) {
            $items[] = new Item(mt_rand(1, 9999), self::text(3), mt_rand(1, 5), mt_rand(100, 99999) / 100);
        }
        $customer = new Customer(mt_rand(1, 9999), self::text(2), self::word() . '@' . self::word() . '.example', [self::word(), self::word()]);
        return new Order($id, $customer, $items, ['new', 'paid', 'sent'][mt_rand(0, 2)], mt_rand(0, 1) ? null : self::text(12));
    }

    /** @return array<string, string> translations by name */
    private static function texts(int $count): array
    {
        $texts = [];
        for ($i = 0; $i < $count; $i++) {
            $texts[self::word() . '.' . self::word() . ".$i"] = self::text(self::size(1, 12));
        }
        return $texts;
    }
}
