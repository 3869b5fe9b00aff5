--TEST--
larder: a daemon that keeps its last ten values: few hits are copies, whatever they are, also with scope()
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip only in memory of the memory manager of PHP are places found that are not used any more');
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if ((int) ini_get('opcache.jit_buffer_size') !== 0) die('skip under a JIT places that are not used any more are found, and more is copied'); ?>
--INI--
larder.volatile_size=16M
--FILE--
<?php
use Larder\VolatileCache as Cache;

class Row { public function __construct(public int $id, public string $text, public array $tags) {} }
class Page { public function __construct(public int $id, public array $rows) {} }
final readonly class FixedRow { public function __construct(public int $id, public string $text, public array $tags) {} }
final readonly class FixedPage { public function __construct(public int $id, public array $rows) {} }

function make(string $kind, int $id): mixed
{
    $rows = [];
    for ($j = 0; $j < 60 && $kind !== 'strings'; $j++) {
        $parts = ['id' => $j, 'text' => str_repeat("text $id $j ", 12), 'tags' => ["tag $j of $id", "tag two $j of $id"]];
        $rows[] = match ($kind) { 'arrays' => $parts, 'objects' => new Row(...$parts), 'readonly objects' => new FixedRow(...$parts) };
    }
    return match ($kind) {
        'strings' => "text $id " . str_repeat("text $id ", 4000),
        'arrays' => ['id' => $id, 'rows' => $rows],
        'objects' => new Page($id, $rows),
        'readonly objects' => new FixedPage($id, $rows),
    };
}

function id(mixed $value): int { return is_string($value) ? (int) substr($value, 5) : (is_array($value) ? $value['id'] : $value->id); }
function last(mixed $value): int { return is_string($value) ? (int) substr($value, -5) : count(is_array($value) ? $value['rows'] : $value->rows); }

/* Leaves pointers to its arguments in stack frames and in freed arrays. */
function work(mixed $value, int $depth): array
{
    if ($depth > 0) {
        return work($value, $depth - 1);
    }
    $parts = [$value];
    foreach (is_string($value) ? [] : (is_array($value) ? $value['rows'] : $value->rows) as $row) {
        $parts[] = $row;
        $parts[] = is_array($row) ? $row['text'] : $row->text;
    }
    return $parts;
}

function job(string $kind, int $i): mixed
{
    $id = $i * 7 % 300;
    $value = Cache::get("key $id");
    if ($value === null) {
        Cache::set("key $id", $value = make($kind, $id));
    }
    work($value, $i % 7);
    if ($i % 10 === 0) {
        Cache::set("key $id", make($kind, $id));
    }
    return $value;
}

foreach (['strings', 'arrays', 'objects', 'readonly objects'] as $kind) {
    foreach ([false, true] as $scoped) {
        Cache::clear();
        $kept = array_fill(0, 10, null);
        for ($id = 0; $id < 300; $id++) {
            Cache::set("key $id", make($kind, $id));
        }
        $before = Cache::info();
        for ($i = 0; $i < 2000; $i++) {
            $kept[$i % 10] = $scoped ? Larder\scope(fn() => job($kind, $i)) : job($kind, $i);
            foreach ($kept as $at => $value) {
                if ($value !== null && (id($value) !== ($i - ($i - $at) % 10) * 7 % 300 || last($value) === 0 && !is_string($value))) exit("$kind: $at is wrong after job $i\n");
            }
        }
        $after = Cache::info();
        $copies = 100 * ($after->copies - $before->copies) / ($after->hits - $before->hits);
        if ($copies > 8) printf("%s%s: %.1f %% are copies\n", $kind, $scoped ? ', scope()' : '', $copies);
        $kept = null;
    }
}
echo "done\n";
?>
--EXPECT--
done
