<?php
/* One request of embed_threads.c: a random mix of calls on a few keys. Requests in other threads use these keys at the same time. A value
 * contains the key for which it was made, and most values have a checksum. The request keeps some values, and checks them again at its end.
 * host_wrong() makes the run fail, and host_ending() announces how this request will end. */

use Larder\PinnedCache;
use Larder\VolatileCache;

function checksum(string $key, mixed $value): int
{
    return crc32($key . json_encode($value));
}

enum Side
{
    case Left;
    case Right;
}

final readonly class Kept implements JsonSerializable
{
    public function __construct(public string $name, public array $values, public ?Kept $other = null, public Side $side = Side::Right) {}

    public function jsonSerialize(): array
    {
        return [$this->name, $this->values, $this->other, $this->side->name];
    }
}

/* Makes a value. The last part of a string, an array or an object is a checksum of the other parts. */
function made(string $key): mixed
{
    $n = mt_rand();
    $large = $n % 100 === 0;
    $text = substr(str_repeat(md5((string) $n), $large ? 20000 : 90), 0, $n % ($large ? 600000 : 2800));
    $sum = host_control() && $n % 64 === 0 ? 1 : 0; // with --control, make some checksums wrong
    switch (intdiv($n, 128) % 8) {
        case 0:
            return crc32($key) * 1000 + $n % 1000;
        case 1:
            return crc32($key) + 0.25 + ($n % 2) / 2;
        case 2:
        case 3:
            return "$key|$text|" . checksum($key, $text) + $sum;
        case 4:
            $object = new ArrayObject([$text, 'key' => $key]);
            $object['sum'] = checksum($key, [$text, 'key' => $key]) + $sum;
            return $object;
        case 5:
            $value = $large ? range($n % 7, 6000) : range($n % 7, 7 + $n % 60); // packed
            break;
        default:
            $inner = ['key' => $key, $text => $n, 'list' => [1, 2.5, null, true, [$text, [$key]]]];
            $value = ['one' => $inner, 'two' => $inner, -3 => [], 'text' => $text, 'n' => $n];
            if ($n & 1) { // add objects that the thread keeps between requests
                $value['kept'] = [$kept = new Kept($key, [$n, $text]), new Kept($text, ['of' => $kept], $kept)];
            }
    }
    $value[] = checksum($key, $value) + $sum;
    return $value;
}

function good(string $key, mixed $value): bool
{
    if (is_int($value)) {
        return intdiv($value, 1000) === crc32($key);
    }
    if (is_float($value)) {
        return (int) $value === crc32($key);
    }
    if (is_string($value)) {
        [$of, $text, $sum] = explode('|', $value);
        return $of === $key && checksum($key, $text) === (int) $sum;
    }
    if ($value instanceof ArrayObject) {
        $value = $value->getArrayCopy();
    }
    return is_array($value) && checksum($key, array_slice($value, 0, -1, true)) === end($value);
}

function check(string $key, mixed $value, string $how): void
{
    if (!good($key, $value)) {
        host_wrong("$how: $key: " . substr(print_r($value, true), 0, 300));
    }
}

/* Reads a value, and changes private copies of it. */
function touched(string $key, mixed $value): void
{
    $copy = $value;
    if (is_array($copy)) {
        foreach ($copy as &$element) {
            if (is_array($element)) {
                $element['more'] = 1;
            } else {
                $element = [$element];
            }
        }
        unset($element);
        sort($copy);
    } elseif (is_string($copy) && $copy !== '') {
        $copy[0] = "\x01";
        $copy .= 'more';
    }
    check($key, $value, 'after a copy was changed');
}

/* Computes the value of $key for remember(). $place is the number at the end of $key. Throws or exits now and then, after host_leave(). */
function computed(string $key, int $place): mixed
{
    if (host_enter($place) !== 0) {
        host_count('computed together');
    }
    usleep(mt_rand(0, 300));
    host_count('computed');
    host_leave($place);
    switch (mt_rand(0, 40)) {
        case 0:
            throw new LengthException('from $compute');
        case 1:
            host_ending('exit');
            exit(3);
    }
    return made($key);
}

function remembered(): array
{
    $place = mt_rand(0, 7);
    $key = "remember:$place";
    try {
        $value = VolatileCache::remember($key, fn () => computed($key, $place), 1, mt_rand(0, 1));
        check($key, $value, 'remember');
        if (mt_rand(0, 3) === 0) {
            VolatileCache::delete($key);
        }
        return [$key, $value];
    } catch (LengthException) {
        return ['other', null];
    }
}

/* Adds one to a stored number with get() and set(), under a lock. */
function guarded(): void
{
    if (!PinnedCache::lock('guard', mt_rand(0, 1) * 30)) {
        return;
    }
    $before = PinnedCache::get('guarded', 0);
    if (mt_rand(0, 9) === 0) {
        usleep(200);
    }
    if (!PinnedCache::set('guarded', $before + 1)) {
        host_count('writes refused');
    } else {
        host_count('guarded');
    }
    if (mt_rand(0, 3) !== 0) {
        PinnedCache::unlock('guard');
    } // one time in four, the end of the request releases the lock
}

function several(array $keys): void
{
    $values = [];
    foreach ($keys as $key) {
        $values[$key] = made($key);
    }
    VolatileCache::setMultiple($values, mt_rand(0, 1) * 5);
    foreach (VolatileCache::getMultiple($keys, array_fill_keys($keys, null)) ?: [] as $key => $value) {
        if ($value !== null) {
            check((string) $key, $value, 'getMultiple');
        }
    }
    if (mt_rand(0, 1) === 0) {
        VolatileCache::deleteMultiple($keys);
    }
}

/* Includes a file whose path comes from the cache. Opcache must not write to the bytes of the path. */
function included(): void
{
    $dots = mt_rand(40, 600);
    $path = __DIR__ . str_repeat('/.', $dots) . '/included.php';
    PinnedCache::add("path:$dots", $path);
    $fetched = PinnedCache::get("path:$dots");
    if (function_exists('opcache_compile_file')) {
        opcache_compile_file($fetched);
    }
    (include $fetched) === 7 or host_wrong('included.php gave something else');
}

/* Uses one of five sessions, which all threads share. One time in ten, the session stays open until the request ends, even if the request
 * ends with an error. */
function session_visited(): void
{
    if (session_status() === PHP_SESSION_ACTIVE) {
        session_write_close() && host_count('session visits');
    }
    session_id('s' . mt_rand(0, 4));
    if (!session_start()) {
        host_wrong('no session is available');
        return;
    }
    $n = $_SESSION['n'] ?? 0;
    if ($n !== 0 && $_SESSION['text'] !== str_repeat(md5("session $n"), $n % 40)) {
        host_wrong("a session is torn at $n");
    }
    $_SESSION = ['n' => ++$n, 'text' => str_repeat(md5("session $n"), $n % 40)];
    if (mt_rand(0, 9) === 0) {
        host_count('sessions left open');
    } else {
        session_write_close() && host_count('session visits');
    }
}

function file_read(): void
{
    file_get_contents(__DIR__ . '/included.php') === file_get_contents(__DIR__ . '/included.php', false, stream_context_create())
        or host_wrong('a file has another content');
}

function exhausted(array $keys): never
{
    host_ending('fatal');
    ini_set('memory_limit', (string) (memory_get_usage(true) + (4 << 20)));
    for ($kept = [];;) {
        $key = $keys[array_rand($keys)];
        $value = VolatileCache::get($key);
        $kept[] = [$value, $new = made($key)];
        VolatileCache::set($key, $new);
        VolatileCache::set('other', [new ArrayObject($kept)]);
    }
}

function other_key(): string
{
    return 'key:' . (mt_rand(0, 3) !== 0 ? mt_rand(0, 60) : mt_rand(0, 3000));
}

VolatileCache::info()->available && PinnedCache::info()->available or host_wrong('the stores are off');
$held = [];
for ($i = mt_rand(5, 120); $i > 0; $i--) {
    $key = other_key();
    switch (mt_rand(0, 18)) {
        case 17:
            session_visited();
            break;
        case 18:
            file_read();
            break;
        case 0:
        case 1:
        case 2:
            VolatileCache::set($key, made($key), mt_rand(0, 5) === 0 ? 0.05 : 0);
            break;
        case 3:
            VolatileCache::add($key, made($key));
            break;
        case 4:
            VolatileCache::delete($key);
            break;
        case 5:
            if (PinnedCache::increment('counter', 3) === false) {
                host_count('writes refused');
            } else {
                host_count('increments', 3);
            }
            break;
        case 6:
            $held[] = remembered();
            break;
        case 7:
            guarded();
            break;
        case 8:
            several([$key, other_key(), other_key()]);
            break;
        case 9:
            VolatileCache::touch($key, 2);
            VolatileCache::has($key);
            VolatileCache::keyInfo($key);
            VolatileCache::getCacheStoreType($key);
            break;
        case 10:
            mt_rand(0, 40) !== 0 or VolatileCache::keys('key:1');
            mt_rand(0, 40) !== 0 or VolatileCache::info();
            mt_rand(0, 300) !== 0 or VolatileCache::clear();
            mt_rand(0, 10) !== 0 or included();
            break;
        default:
            $value = VolatileCache::get($key);
            if ($value === null) {
                host_count('misses');
                break;
            }
            host_count('hits');
            check($key, $value, 'get');
            $held[] = [$key, $value];
            if (mt_rand(0, 3) === 0) {
                touched($key, $value);
            }
    }
}
foreach ($held as [$key, $value]) {
    if ($value !== null) {
        check($key, $value, 'held');
    }
}
host_count('values held', count($held));

switch (mt_rand(0, 30)) {
    case 0:
        host_ending('exit');
        exit(3);
    case 1:
        host_ending('exception');
        throw new RuntimeException('nobody catches this');
    case 2:
        exhausted(array_map(fn ($n) => "key:$n", range(0, 60)));
    case 3:
        host_ending('fatal');
        trigger_error('on purpose', E_USER_ERROR);
}
