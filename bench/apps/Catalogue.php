<?php

declare(strict_types=1);

/** The content of an application's cache: translations, routes, settings, metadata of entities, rows of queries. */
final class Catalogue
{
    /** @return array<string, string> */
    public static function translations(): array
    {
        $all = [];
        for ($i = 0; $i < 2000; $i++) {
            $all["page.section$i.title"] = "The title of section $i, with %count% entries";
        }
        return $all;
    }

    /** @return array<string, array<string, mixed>> */
    public static function routes(): array
    {
        $all = [];
        for ($i = 0; $i < 300; $i++) {
            $all["route_$i"] = ['path' => "/area/$i/{id}", 'defaults' => ['_controller' => "App\\Controller\\Area{$i}::show", '_locale' => 'en'], 'requirements' => ['id' => '\d+'], 'methods' => ['GET', 'HEAD']];
        }
        return $all;
    }

    /** @return array<string, mixed> */
    public static function settings(): array
    {
        $all = [];
        for ($i = 0; $i < 400; $i++) {
            $all["group$i"] = ['enabled' => $i % 3 === 0, 'limit' => $i * 10, 'name' => "setting $i", 'options' => ['a' => $i, 'b' => "b$i"]];
        }
        return $all;
    }

    /** @return array<string, Metadata> */
    public static function metadata(): array
    {
        $all = [];
        for ($i = 0; $i < 60; $i++) {
            $fields = [];
            for ($f = 0; $f < 12; $f++) {
                $fields["field$f"] = new Field("field$f", $f % 2 ? 'string' : 'integer', $f % 3 === 0, 255);
            }
            $all["App\\Entity\\Entity$i"] = new Metadata("App\\Entity\\Entity$i", "table_$i", $fields, ['id']);
        }
        return $all;
    }

    /** @return list<array<string, mixed>> the rows of a query */
    public static function rows(int $page): array
    {
        return array_map(fn(int $i): array => ['id' => $page * 50 + $i, 'title' => "Article $i of page $page", 'author' => 'Author ' . $i % 7, 'price' => $i * 1.5, 'published' => true], range(1, 50));
    }

    /**
     * Returns the text of a page. The text depends on all parts of the content. $fetch(key, maker) returns the cached value of the key; if
     * there is none, calls maker to make the value.
     */
    public static function page(int $page, callable $fetch): string
    {
        $translations = $fetch('translations', self::translations(...));
        $routes = $fetch('routes', self::routes(...));
        $settings = $fetch('settings', self::settings(...));
        $metadata = $fetch('metadata', self::metadata(...));
        $rows = $fetch("rows$page", fn(): array => self::rows($page));
        $text = "<!doctype html><title>Page $page</title><ul>";
        foreach ($rows as $i => $row) {
            $n = ($page * 37 + $i * 13) % 2000;
            $entity = $metadata['App\\Entity\\Entity' . ($page + $i) % 60];
            $text .= '<li><a href="' . str_replace('{id}', (string) $row['id'], $routes['route_' . $n % 300]['path']) . '">' . htmlspecialchars($row['title']) . '</a> '
                . str_replace('%count%', (string) $settings['group' . $n % 400]['limit'], $translations["page.section$n.title"]) . " $entity->table {$entity->fields['field' . $i % 12]->type}</li>\n";
        }
        return "$text</ul><p>" . md5($text) . "</p>";
    }
}

final class Metadata
{
    /** @param array<string, Field> $fields */
    public function __construct(public string $class, public string $table, public array $fields, public array $identifier)
    {
    }
}

final class Field
{
    public function __construct(public string $name, public string $type, public bool $nullable, public int $length)
    {
    }
}
