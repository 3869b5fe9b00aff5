<?php
/* Functions that run as requests in the workers of embed_workers.c and of php/tests/frankenphp. A function that a host calls takes and
 * returns an int. */
use Larder\VolatileCache;

const KEYS = 3000;
const PLACES = 48;

class Shared
{
    #[Larder\VolatileStatic]
    public static int $number = 1;
}

class Kept
{
    /** @var array<int, array{string, mixed}> place => [key, holder of the key's value (see keep())] */
    public static array $places = [];
    public static int $hits = 0;
}

function value(string $key, int $version): array|string
{
    $part = "$key/$version ";
    return crc32($key) % 3 === 0 ? str_repeat($part, 20 + crc32($key) % 200) : ['version' => $version, 'text' => str_repeat($part, 30), 'list' => [$part, [$part . 'deep', ['er' => $part]]], 'more' => array_fill(0, crc32($key) % 40, $part)];
}

function right(string $key, mixed $value): bool
{
    return $value === value($key, is_array($value) ? $value['version'] : (int) explode('/', $value)[1]);
}

/* Puts a value into one of six kinds of containers, and returns the container. Workers keep values between requests in such containers. */
function keep(int $way, mixed $value): mixed
{
    if ($way === 0) return $value;
    if ($way === 1) return fn() => $value;
    if ($way === 2) { $generator = (function () use ($value) { yield 1; yield $value; })(); $generator->current(); return $generator; }
    if ($way === 3) { $fiber = new Fiber(function ($value) { Fiber::suspend(); return $value; }); $fiber->start($value); return $fiber; }
    if ($way === 4) { $list = new SplDoublyLinkedList; $list->push($value); return $list; }
    return is_array($value) ? [$value, $value['list'][1], $value['text']] : [$value, substr($value, 0), $value];
}

function kept(mixed $place): mixed
{
    if ($place instanceof Closure) return $place();
    if ($place instanceof Generator) { $place->next(); return $place->current(); }
    if ($place instanceof Fiber) { $place->resume(); return $place->getReturn(); }
    if ($place instanceof SplDoublyLinkedList) return $place->pop();
    return is_array($place) && array_is_list($place) ? $place[0] : $place;
}

function wrong(string $what): int
{
    error_log("WRONG  $what");
    return 1;
}

function check_place(int $place): int
{
    [$key, $what] = Kept::$places[$place];
    unset(Kept::$places[$place]);
    return right($key, kept($what)) ? 0 : wrong("kept in place $place: $key");
}

function handle(int $thread): int
{
    $wrong = 0;
    $local = [];
    for ($i = 0; $i < 25; $i++) {
        $key = 'k' . mt_rand(0, KEYS - 1);
        $kind = mt_rand(0, 99);
        if ($kind < 6) VolatileCache::set($key, value($key, mt_rand()));
        elseif ($kind < 8) VolatileCache::delete($key);
        $value = VolatileCache::get($key);
        if ($value === null) {
            VolatileCache::set($key, value($key, 0));
            continue;
        }
        Kept::$hits++;
        if (!right($key, $value)) $wrong += wrong("got: $key");
        $local[$key] = $value;
        if ($kind >= 97) {
            $place = mt_rand(0, PLACES - 1);
            if (isset(Kept::$places[$place])) $wrong += check_place($place);
            Kept::$places[$place] = [$key, keep($place % 6, $value)];
        }
    }
    foreach ($local as $key => $value)
        if (!right($key, $value)) $wrong += wrong("in a variable: $key");
    return $wrong;
}

function verify(int $unused): int
{
    $wrong = 0;
    foreach (array_keys(Kept::$places) as $place) $wrong += check_place($place);
    return $wrong;
}

/* Returns the number of copies per 1000 hits, over all threads. */
function copied(int $unused): int
{
    $info = VolatileCache::info();
    error_log("hits $info->hits, copies $info->copies");
    return $info->hits > 0 ? (int) ceil($info->copies * 1000 / $info->hits) : -1;
}

function fresh(int $count): int
{
    $found = 0;
    for ($i = 0; $i < $count; $i++) {
        VolatileCache::set("fresh $i", $text = str_repeat(chr(65 + $i), 900 << 10));
        $found += VolatileCache::get("fresh $i") === $text;
    }
    return $found;
}

function change(int $number): int
{
    return Shared::$number = $number;
}

function unchanged(int $unused): int
{
    return Shared::$number;
}
