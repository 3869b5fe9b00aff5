--TEST--
polyfill: handlers of signals wait for the end of a call of the store, a full disk splits no store, and readers notice that its files were removed
--FILE--
<?php
use Larder\Polyfill\{Log, Part};

/* Numbers by name. $applied is called when a number of another process arrives. */
final class Numbers implements Part
{
    public array $numbers = [];
    public readonly Log $log;

    public function __construct(public readonly string $path, public ?Closure $applied = null)
    {
        $this->log = new Log($this, $path);
    }
    public function record(string $kind, string $key): mixed
    {
        return $this->numbers[$key] ?? null;
    }
    public function apply(string $kind, string $key, mixed $record): void
    {
        $this->numbers[$key] = $record;
        ($this->applied ?? static fn() => null)();
    }
    public function all(): iterable
    {
        return array_map(static fn(string $key) => ['number', $key], array_keys($this->numbers));
    }
    public function forget(): void
    {
        $this->numbers = [];
    }
    public function forked(): void {}
    public function finish(): void {}

    public function set(string $key, string $value, ?Closure $within = null): void
    {
        $this->log->run(function () use ($key, $value, $within): void {
            ($within ?? static fn() => null)();
            $this->numbers[$key] = $value;
            $this->log->changed('number', $key);
        });
    }
    public function get(string $key): ?string
    {
        $this->log->load();
        return $this->numbers[$key] ?? null;
    }
}

/* The disk of the log, which becomes full: after $last writes, one write stores half of its text, and all later ones fail. */
final class Disk
{
    public static int $writes = 0;
    public static int $last = PHP_INT_MAX;
    public $context;
    private mixed $file;

    private static function path(string $path): string
    {
        return substr($path, strlen('disk://'));
    }
    public function stream_open(string $path, string $mode): bool
    {
        return (bool) $this->file = @fopen(self::path($path), $mode);
    }
    public function stream_write(string $text): int
    {
        if (++self::$writes > self::$last) {
            return self::$writes === self::$last + 1 ? fwrite($this->file, substr($text, 0, strlen($text) >> 1)) : 0;
        }
        return fwrite($this->file, $text);
    }
    public function stream_read(int $size): string
    {
        return fread($this->file, $size);
    }
    public function stream_eof(): bool
    {
        return feof($this->file);
    }
    public function stream_seek(int $offset, int $whence): bool
    {
        return fseek($this->file, $offset, $whence) === 0;
    }
    public function stream_tell(): int
    {
        return ftell($this->file);
    }
    public function stream_stat(): array
    {
        return fstat($this->file);
    }
    public function stream_flush(): bool
    {
        return fflush($this->file);
    }
    public function stream_lock(int $how): bool
    {
        return flock($this->file, $how ?: LOCK_UN);
    }
    public function stream_truncate(int $size): bool
    {
        return ftruncate($this->file, $size);
    }
    public function unlink(string $path): bool
    {
        return unlink(self::path($path));
    }
}
stream_wrapper_register('disk', Disk::class);

$folder = sys_get_temp_dir() . '/larder-log-' . getmypid();
mkdir($folder);
$clear = static fn() => array_map(unlink(...), glob("$folder/*"));
/* Returns true if no process has the lock. */
$isFree = static fn() => flock(fopen("$folder/s", 'r+'), LOCK_EX | LOCK_NB);

echo "a signal while the changes of others are read\n";
pcntl_async_signals(true);
$other = new Numbers("$folder/s");
$other->set('a', '1');
$one = new Numbers("$folder/s", static fn() => posix_kill(getmypid(), SIGUSR1));
pcntl_signal(SIGUSR1, static fn() => $one->set('handled', '1'));
$one->set('b', '1', static fn() => print($isFree() ? "no lock\n" : "locked\n"));
foreach (['a', 'b', 'handled'] as $key) {
    echo "$key ", $other->get($key) ?? 'lost', "\n";
}
echo "a handler that throws\n";
pcntl_signal(SIGUSR1, static fn() => throw new Exception('time is over'));
foreach (['set' => ['c', '1'], 'get' => ['d']] as $method => $arguments) {
    $other->set('d', $method);
    try {
        $one->$method(...$arguments);
    } catch (Exception $error) {
        echo $method, ': ', $error->getMessage(), $isFree() ? '' : ', still locked', "\n";
    }
}
pcntl_signal(SIGUSR1, SIG_IGN);
$clear();

echo "a full disk\n";
$full = 0;
for ($last = 0, $isFull = true; $isFull && $last < 500; $last++) {
    $one = new Numbers("disk://$folder/s");
    $other = new Numbers("disk://$folder/s");
    $right = [];
    Disk::$writes = 0;
    Disk::$last = $last;
    for ($n = 0; $n < 18; $n++) {
        $key = 'k' . $n % 2;
        $value = str_repeat("$n ", 10000);
        try {
            ($n % 3 === 0 ? $other : $one)->set($key, $value);
            $right[$key] = $value;
        } catch (Larder\StaticCacheException) {
            $full++;
        }
    }
    $isFull = Disk::$writes > $last;
    Disk::$last = PHP_INT_MAX;
    $one->set('x', $right['x'] = 'there is room again');
    $other->set('y', $right['y'] = 'there is room again');
    foreach (['one' => $one, 'other' => $other, 'new' => new Numbers("disk://$folder/s")] as $name => $numbers) {
        foreach ($right as $key => $value) {
            $numbers->get($key) === $value || print("$key is wrong in $name after write $last\n");
        }
    }
    $files = count(glob("$folder/*"));
    $files === 2 || print("$files files after write $last\n");
    $clear();
}
echo $last < 500 && $full > 100 ? "right\n" : "$last writes, $full failed\n";

echo "without the file that names the current one\n";
$one = new Numbers("$folder/s");
$other = new Numbers("$folder/s");
for ($n = 0; $n < 30; $n++) {
    $one->set('k', str_repeat("$n", 20000));
}
$one->set('k', 'old');
echo $other->get('k'), ' ', (int) file_get_contents("$folder/s") > 0 ? 'copied' : 'not copied', "\n";
unlink("$folder/s");
$one->set('k', 'new');
echo $other->get('k'), ' ', implode(' ', array_map(basename(...), glob("$folder/*"))), "\n";
$clear();
rmdir($folder);
?>
--EXPECT--
a signal while the changes of others are read
locked
a 1
b 1
handled 1
a handler that throws
set: time is over
get: time is over
a full disk
right
without the file that names the current one
old copied
new s s.0
