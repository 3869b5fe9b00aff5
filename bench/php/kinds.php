<?php

/* kinds.php - the kinds of values that cold.php and objects.php measure one by one. They are objects with each kind of hook, with few parts
 * or many, with a cycle or a reference, collections, a view model, and constant arrays.
 *
 * kinds() returns the values by name. Read it first. */

declare(strict_types=1);

namespace Kinds;

/** A table that opcache, or a compiled configuration, keeps in one piece: 85 elements in 28 arrays. */
const TABLE = [
    'drivers' => [
        'mysql' => ['class' => 'Driver\\MySql', 'ports' => [3306], 'options' => [true, false, true], 'weight' => 1],
        'mysql.replica' => ['class' => 'Driver\\MySql', 'ports' => [3307], 'options' => [true, true, true], 'weight' => 2],
        'pgsql' => ['class' => 'Driver\\Postgres', 'ports' => [5432], 'options' => [false, false, true], 'weight' => 3],
        'pgsql.replica' => ['class' => 'Driver\\Postgres', 'ports' => [5433], 'options' => [false, true, true], 'weight' => 4],
        'sqlite' => ['class' => 'Driver\\Sqlite', 'ports' => [0], 'options' => [true, false, false], 'weight' => 5],
        'sqlite.memory' => ['class' => 'Driver\\Sqlite', 'ports' => [0], 'options' => [false, false, false], 'weight' => 6],
        'redis' => ['class' => 'Driver\\Redis', 'ports' => [6379], 'options' => [false, true, false], 'weight' => 7],
        'redis.replica' => ['class' => 'Driver\\Redis', 'ports' => [6380], 'options' => [true, true, false], 'weight' => 8],
    ],
    'texts' => ['fallback' => 'Driver\\None', 'charset' => 'utf8mb4'],
    'sizes' => [1, 2, 4, 8, 16, 32, 64, 128],
];

final class Point { public int $x = 1; public int $y = 2; }
/** A class that has __unserialize(), but no __serialize(). __unserialize() gets the properties. */
final class Restored
{
    private array $data;
    protected string $table = 'entities';
    public function __construct(public int $id) { $this->data = ['id' => $id, 'title' => "title $id"]; }
    public function __unserialize(array $data): void
    {
        foreach ($data as $name => $value) {
            $this->{ltrim(strrchr("\0$name", "\0"), "\0")} = $value;
        }
    }
}
/** A class with __serialize() and __unserialize(). */
final class Magic
{
    private ?object $connection = null;
    public function __construct(private int $id, private string $name, private array $roles) {}
    public function __serialize(): array { return ['id' => $this->id, 'name' => $this->name, 'roles' => $this->roles]; }
    public function __unserialize(array $data): void { ['id' => $this->id, 'name' => $this->name, 'roles' => $this->roles] = $data; }
}
/** A class with only __unserialize(). Its objects have many parts; one part is another Document. */
final class Document
{
    private int $length;
    public function __construct(private int $id, private string $title, private array $fields, private ?Document $parent = null) { $this->length = strlen($title); }
    public function __unserialize(array $data): void
    {
        foreach ($data as $name => $value) {
            $this->{ltrim(strrchr("\0$name", "\0"), "\0")} = $value;
        }
    }
}
/** A class with __serialize() and __unserialize(). Its objects have many parts; one part is another Entity. */
final class Entity
{
    public function __construct(private int $id, private string $name, private array $fields, private ?Entity $owner = null) {}
    public function __serialize(): array { return ['id' => $this->id, 'name' => $this->name, 'fields' => $this->fields, 'owner' => $this->owner]; }
    public function __unserialize(array $data): void { ['id' => $this->id, 'name' => $this->name, 'fields' => $this->fields, 'owner' => $this->owner] = $data; }
}
/** A router. __sleep() leaves out its last match. */
final class Router
{
    private ?string $matched = 'home';
    public function __construct(private string $prefix, private array $routes, private array $options) {}
    public function __sleep(): array { return ['prefix', 'routes', 'options']; }
    public function __wakeup(): void { $this->matched = null; }
}
/** A row of a table. __sleep() leaves out the source of the row. */
final class Member
{
    public string $source = 'database';
    public function __construct(public int $id, public string $mail, public array $groups, public array $settings) {}
    public function __sleep(): array { return ['id', 'mail', 'groups', 'settings']; }
    public function __wakeup(): void { $this->source = 'cache'; }
}
/** A collection. __sleep() leaves out its listeners. */
final class Items
{
    private array $items = [];
    private array $listeners = [];
    private bool $dirty = false;
    public function __construct(int $count) { for ($i = 0; $i < $count; $i++) $this->items[] = new Item($i, "item $i"); }
    public function __sleep(): array { return ['items', 'dirty']; }
}
final class Item { public function __construct(public int $id, public string $name) {} }
/** The routes and services of an application. */
final class Application { public function __construct(public string $name, public array $routes, public array $services, public Item $owner) {} }
/** An ArrayObject with flags and properties. The store keeps the result of its __serialize(). */
final class Catalogue extends \ArrayObject { public function __construct(array $parts, public string $name) { parent::__construct($parts, \ArrayObject::ARRAY_AS_PROPS); } }
final class Linked { public ?Linked $next = null; public array $shared = []; public function __construct(public int $id) {} }
/** The data of a template. */
final class View
{
    public ?View $parent = null;
    public array $children = [];
    public function __construct(public string $title, public array $vars, public array $links, public \DateTimeImmutable $at) {}
}
final readonly class Money { public function __construct(public int $amount, public string $currency) {} }
enum Level: string { case Low = 'low'; case High = 'high'; }
final class Order { public array $lines = []; public Level $level = Level::High; public function __construct(public int $id, public Money $total, public \DateTimeImmutable $at) {} }

/** @return array<string, mixed> */
function kinds(): array
{
    $cycle = new Linked(1);
    $cycle->next = $cycle;
    $reference = new Linked(1);
    $text = 'shared';
    $reference->shared = [&$text, &$text, 3];
    $view = new View('Orders', ['count' => 3, 'user' => 'anna', 'filters' => ['open' => true, 'page' => 1]], ['/orders', '/orders/1', '/orders/2'], new \DateTimeImmutable('2024-02-29 12:00 UTC'));
    for ($i = 0; $i < 3; $i++) {
        $view->children[] = $child = new View("Order $i", ['id' => $i, 'total' => new Money(100 * $i, 'EUR')], ["/orders/$i"], $view->at);
        $child->parent = $view;
    }
    $order = new Order(7, new Money(4200, 'EUR'), new \DateTimeImmutable('2024-01-01 UTC'));
    $order->lines = array_map(fn(int $i) => ['sku' => "sku $i", 'count' => $i, 'price' => new Money(1400, 'EUR')], range(1, 3));
    $fields = $routes = [];
    for ($i = 1; $i <= 40; $i++) {
        $fields["field $i"] = ['text' => "this is the text of field $i", 'order' => $i];
        $routes["route.$i"] = ['path' => "/section/$i/{id}", 'controller' => 'Controller' . $i % 8 . '::show', 'methods' => ['GET', 'HEAD'], 'priority' => $i];
    }
    $entity = new Entity(1, 'the entity', $fields, new Entity(2, 'its owner', ['field 1' => ['text' => 'short', 'order' => 1]]));
    $router = new Router('/app', $routes, ['cache' => ['seconds' => 60, 'tags' => ['routes', 'app']], 'strict' => true]);
    $members = [];
    for ($i = 1; $i <= 100; $i++) {
        $members[] = new Member($i, "member$i@example.org", $i % 2 ? ['reader'] : ['reader', 'author'], ['name' => "Member $i", 'view' => ['language' => $i % 2 ? 'de' : 'en', 'dark' => true], 'counts' => [$i, 2 * $i]]);
    }
    $page = ['options' => ['seconds' => 300, 'tags' => ['page', 'start']], 'entity' => $entity, 'router' => new Router('', ['home' => ['priority' => 1]], []), 'rows' => []];
    for ($i = 1; $i <= 25; $i++) {
        $page['rows'][] = ['id' => $i, 'title' => "The title of row $i", 'state' => $i % 3 ? 'open' : 'closed', 'tags' => ['row', "tag $i"], 'price' => $i * 1.5];
    }
    $list = new \SplDoublyLinkedList();
    $queue = new \SplQueue();
    $storage = new \SplObjectStorage();
    for ($i = 1; $i <= 10; $i++) {
        $list->push($i);
        $queue->enqueue(new Item($i, "item $i"));
        $storage[new Item($i, "item $i")] = $i;
    }
    $rows = $services = [];
    $lists = ['list' => new \SplDoublyLinkedList(), 'queue' => new \SplQueue(), 'stack' => new \SplStack()];
    for ($i = 1; $i <= 60; $i++) {
        $rows["row $i"] = ['id' => $i, 'title' => "the title of row $i", 'price' => 7 * $i];
        $services["service $i"] = ['class' => "App\\Service$i", 'factory' => $i % 4 ? null : ['factory', 'make'], 'tags' => ['shared', 'group ' . $i % 5], 'arguments' => ['@log', $i]];
        array_map(fn(\SplDoublyLinkedList $list) => $list->push($rows["row $i"]), $lists);
    }
    $collections = ['fixed' => \SplFixedArray::fromArray(array_values($rows)), 'map' => new \ArrayObject($rows, \ArrayObject::ARRAY_AS_PROPS), 'iterator' => new \ArrayIterator($rows)];
    $paths = [];
    for ($i = 1; $i <= 300; $i++) {
        $paths["path $i"] = ['path' => "/section/{section}/page/$i/{id}", 'controller' => 'App\\Controller' . $i % 8 . '::show', 'methods' => $i % 3 ? ['GET'] : ['GET', 'HEAD'],
            'defaults' => ['_locale' => $i % 2 ? 'en' : 'de', '_format' => 'html'], 'requirements' => ['section' => '[a-z]+', 'id' => '[0-9]+'], 'priority' => $i];
    }
    return [
        'only __unserialize' => new Restored(1),
        'magic __serialize' => new Magic(1, 'anna', ['admin', 'editor']),
        'three with __serialize' => array_map(fn(int $i) => new Magic($i, "user $i", ['reader']), [1, 2, 3]),
        'collection with __sleep' => new Items(5),
        'large __unserialize' => new Document(1, 'the document', $fields, new Document(2, 'its parent', ['field 1' => ['text' => 'short', 'order' => 1]])),
        'large __serialize' => $entity,
        'large __sleep' => $router,
        '100 with __sleep' => $members,
        'array with hooks' => $page,
        'constant array' => ['driver' => 'pdo', 'host' => 'localhost', 'port' => 3306, 'options' => ['persistent' => true, 'timeout' => 5]],
        'constant table' => TABLE,
        'routes and services' => new Application('application', $paths, $services, new Item(1, 'the owner')),
        'collections of rows' => new Catalogue($collections, 'collections'),
        'lists of rows' => new Catalogue($lists, 'lists'),
        'one object' => new Point(),
        'one with a cycle' => $cycle,
        'one with a reference' => $reference,
        'view model' => $view,
        'order' => $order,
        'enum case' => Level::High,
        'readonly' => new Money(42, 'EUR'),
        'list of ten' => $list,
        'queue of ten' => $queue,
        'storage of ten' => $storage,
        'ArrayObject' => new \ArrayObject(['id' => 1, 'name' => 'name', 'tags' => null]),
        'fixed array' => \SplFixedArray::fromArray(range(1, 10)),
        'date' => new \DateTimeImmutable('2024-02-29 12:00 UTC'),
        'interval' => new \DateInterval('P1DT5M'),
        'stdClass' => (object) ['id' => 1, 'name' => 'name', 'tags' => ['a', 'b']],
        'ten items' => array_map(fn(int $i) => new Item($i, "item $i"), range(1, 10)),
        'ten rows' => array_map(fn(int $i) => ['id' => $i, 'name' => "name $i"], range(1, 10)),
        'int' => 5,
        'short string' => 'a short string',
        'string of 100 KB' => str_repeat('x', 100_000),
        'array of 10' => range(1, 10),
        'array of 1,000' => array_map(fn(int $i) => "value $i", range(1, 1000)),
    ];
}
