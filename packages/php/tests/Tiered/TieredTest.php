<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\ServerFailure;
use Larder\Cache\Tiered\ServerUnreachable;
use PHPUnit\Framework\TestCase;

/** Tests two hosts in front of one server. After an invalidation, a host must not return the old value, even if processes die. */
final class TieredTest extends TestCase
{
    private Hosts $hosts;

    protected function setUp(): void
    {
        $missing = Hosts::missing();
        $missing === null || $this->markTestSkipped($missing);
        $this->hosts = new Hosts();
    }

    protected function tearDown(): void
    {
        unset($this->hosts);
        gc_collect_cycles();
    }

    /** @return array{int, int} workers, one on each host, that may use copies */
    private function two(string $client = 'predis', float $bound = 1.0): array
    {
        $this->hosts->startSync('a', $bound);
        $this->hosts->startSync('b', $bound);
        $workers = [$this->hosts->startWorker('a', $client), $this->hosts->startWorker('b', $client)];
        foreach ($workers as $worker) {
            $this->untilLocal($worker);
        }
        return $workers;
    }

    private function untilLocal(int $worker): void
    {
        $this->hosts->until('the host is in step', fn(): bool => $this->hosts->call($worker, 'isLocal') === true);
    }

    private function untilKept(int $worker, string $key): void
    {
        $this->hosts->until('the value is kept', fn(): bool => $this->hosts->call($worker, 'get', $key) !== null && $this->hosts->call($worker, 'local', $key) !== 'not here');
    }

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        yield 'predis' => ['predis'];
        if (is_file(\ini_get('extension_dir') . '/redis.so')) {
            yield 'phpredis' => ['phpredis'];
        }
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testValuesAreThoseThatWereStored(string $client): void
    {
        [$a, $b] = $this->two($client);
        $values = ['int' => 5, 'least' => PHP_INT_MIN, 'string' => 'hello', 'digits' => '12', 'zero' => '-0', 'empty' => '', 'bytes' => "\x01x", 'null' => null, 'false' => false,
            'float' => 0.5, 'array' => ['a' => [1, 2.5]], 'object' => new \ArrayObject([1]), '77' => 'a key of digits'];
        foreach ($values as $key => $value) {
            $this->assertTrue($this->hosts->call($a, 'set', (string) $key, $value));
            $this->assertEquals($value, $this->hosts->call($b, 'get', (string) $key, 'none'), (string) $key);
            $this->assertSame(get_debug_type($value), get_debug_type($this->hosts->call($a, 'get', (string) $key, 'none')));
        }
        $this->assertEquals($values + ['none' => 'default'], $this->hosts->call($b, 'getMultiple', [...array_keys($values), 'none'], ['none' => 'default']));
        $this->hosts->client()->set('test:of others', 'bytes');
        $this->assertSame('bytes', $this->hosts->call($a, 'get', 'of others'));
        $this->assertSame([5, 10, false], [$this->hosts->call($a, 'increment', 'n', 5, 100), $this->hosts->call($b, 'increment', 'n', 5), $this->hosts->call($a, 'increment', 'string')]);
        $this->assertGreaterThan(0, $this->hosts->client()->pttl('test:n'));
        $this->assertSame(8, $this->hosts->call($a, 'decrement', 'n', 2));
        $this->assertSame([false, true, true, false], [$this->hosts->call($a, 'add', 'n', 1), $this->hosts->call($a, 'add', 'new', 1), $this->hosts->call($b, 'delete', 'new'), $this->hosts->call($b, 'delete', 'new')]);
        $this->assertTrue($this->hosts->call($a, 'touch', 'int', 100) && !$this->hosts->call($a, 'touch', 'not there', 100));
        $this->assertStringStartsWith('TypeError', $this->hosts->call($a, 'unserializable', 'int'));
        $this->assertStringStartsWith('ValueError', $this->hosts->call($a, 'set', 'int', 1, -1));
        $this->assertSame(5, $this->hosts->call($b, 'get', 'int'));
        $this->assertSame([true, false], [$this->hosts->call($a, 'lock', 'l'), $this->hosts->call($b, 'lock', 'l')]);
        $this->assertSame([false, true, true], [$this->hosts->call($b, 'unlock', 'l'), $this->hosts->call($a, 'unlock', 'l'), $this->hosts->call($b, 'lock', 'l')]);
        $this->hosts->client()->set('other:key', 'stays');
        $this->assertTrue($this->hosts->call($a, 'clear'));
        $this->assertSame(['other:key'], $this->hosts->client()->keys('*'));
        $this->assertNull($this->hosts->call($a, 'get', 'string'));
        $this->hosts->until('the other host has heard', fn(): bool => $this->hosts->call($b, 'get', 'string') === null);
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testWordPressOnTwoHostsHasOneObjectCache(string $client): void
    {
        [$a, $b] = $this->two($client);
        $does = fn(int $worker, array ...$calls): array => $this->hosts->call($worker, 'wordPress', ...$calls);
        $sees = fn(int $worker, mixed $wanted, string $key, string $group = 'posts') => $this->hosts->until("$key is seen", fn(): bool => $does($worker, ['get', $key, $group]) == [$wanted]);
        $post = (object) ['ID' => 7, 'title' => 'First', 'meta' => ['a' => [1]]];
        $this->assertSame([true, true, true, false], $does($a, ['set', 7, $post, 'posts'], ['set', 'count', 5, 'options'], ['add', 'k', 'of the group of no name', ''], ['add', 7, 1, 'posts']));
        $this->assertEquals([$post, [7 => $post, 8 => false], 5, false], $does($b, ['get', 7, 'posts'], ['get_multiple', [7, 8], 'posts'], ['get', 'count', 'options'], ['get', 'count', 'posts']));
        $this->assertSame([6, 4, false], $does($b, ['incr', 'count', 1, 'options'], ['decr', 'count', 2, 'options'], ['incr', 'missing', 1, 'options']));
        $sees($a, 4, 'count', 'options');
        $this->assertSame([true, 0, 2], $does($a, ['set', 'tries', 5, 'options', 100], ['decr', 'tries', 9, 'options'], ['incr', 'tries', 2, 'options']));
        $this->assertGreaterThan(0, $this->hosts->client()->pttl('test:' . $this->wordPressKey('options', 'tries')), 'it ends when it was to end');
        $this->assertSame([true, 7], $does($a, ['set', 'text', '5', 'options', 100], ['incr', 'text', 2, 'options']));
        $this->assertGreaterThan(0, $this->hosts->client()->pttl('test:' . $this->wordPressKey('options', 'text')));
        $gone = ['elsewhere', 'delete', 'k', 'posts'];
        $this->assertSame([true, 1, true, 1, false, false], $does($a, ['set', 'k', 1, 'posts'], ['get', 'k', 'posts'], $gone, ['get', 'k', 'posts'], ['get', 'k', 'posts', true], ['get', 'k', 'posts']));
        $this->assertSame([true, true, ['k' => 1], ['k' => false], ['k' => false]], $does($a, ['set', 'k', 1, 'posts'], $gone, ['get_multiple', ['k'], 'posts'], ['get_multiple', ['k'], 'posts', true], ['get_multiple', ['k'], 'posts']));
        $post->title = 'Second';
        $this->assertSame([true, true], $does($b, ['replace', 7, $post, 'posts'], ['set', 7, 'another group', 'posts2']));
        $sees($a, $post, '7');
        $this->assertSame([true, false], $does($a, ['delete', 'count', 'options'], ['get', 'count', 'options']));
        $sees($b, false, 'count', 'options');
        $this->hosts->until('it is kept', fn(): bool => $does($a, ['get', 7, 'posts']) == [$post] && $this->hosts->call($a, 'local', $this->wordPressKey('posts', '7')) == $post);

        $this->hosts->client()->set('test:not of WordPress', 'stays');
        $this->assertSame([true], $does($b, ['flush_group', 'posts']));
        $sees($a, false, '7');
        $this->assertSame(['another group'], $does($a, ['get', 7, 'posts2']));
        $this->assertSame([true], $does($a, ['flush']));
        $sees($b, false, '7', 'posts2');
        $this->assertSame(['test:not of WordPress'], $this->hosts->client()->keys('*'));
    }

    private function wordPressKey(string $group, string $key): string
    {
        return 'wp.' . substr(hash('sha256', 'one installation'), 0, 16) . ".$group\0$key";
    }

    public function testWhatAnybodyWritesIsSeenByAll(): void
    {
        [$a, $b] = $this->two();
        $server = $this->hosts->client();
        for ($i = 1; $i <= 20; $i++) {
            match ($i % 3) {
                0 => $this->hosts->call($a, 'set', 'k', $i),
                1 => $this->hosts->call($b, 'set', 'k', $i),
                2 => $server->set('test:k', (string) $i),
            };
            foreach ([$a, $b] as $worker) {
                $this->hosts->until('it is seen', fn(): bool => $this->hosts->call($worker, 'get', 'k') === $i);
            }
        }
        $this->untilKept($a, 'k');
        $server->flushall();
        $this->hosts->until('the flush is seen', fn(): bool => $this->hosts->call($a, 'get', 'k') === null);
        $server->psetex('test:brief', 300, 'gone soon');
        $this->assertContains($this->hosts->call($a, 'get', 'brief'), ['gone soon', null]);
        usleep(400000);
        $this->assertNull($this->hosts->call($a, 'get', 'brief'));
    }

    public function testAReadThatAnInvalidationOvertakesIsNotKept(): void
    {
        [$a] = $this->two();
        $server = $this->hosts->client();
        $this->hosts->call($a, 'delay', 2.0);
        $reads = static fn(): int => (int) array_sum(preg_match_all('/^cmdstat_m?get:calls=(\d+)/m', (string) $server->executeRaw(['INFO', 'commandstats']), $calls) ? $calls[1] : []);
        $other = $this->hosts->startWorker('a');
        /* Changes the value on the server after $a has read it, and before $a stores its copy. Returns the host's copy, and another
         * worker's get(). */
        $overtaken = function (string $how, string $key) use ($a, $server, $reads, $other): array {
            $server->set("test:$key", 'old');
            $before = $reads();
            $this->hosts->ask($a, $how, $key);
            $this->hosts->until('it is read, and not yet stored', static fn(): bool => $reads() > $before);
            $server->set("test:$key", 'new');
            $this->hosts->answer($a);
            usleep(200000);
            return [$this->hosts->call($other, 'local', $key), $this->hosts->call($other, 'get', $key)];
        };
        [$kept, $seen] = $overtaken('get', 'k');
        $this->assertNotSame('old', $kept);
        $this->assertSame('new', $seen);
        /* Check that this test can fail: "naive" stores its copy without a lease, so the old value must stay. A late invalidation may
         * still remove the copy, so try several times. */
        for ($try = 0; $try < 10 && $seen !== 'old'; $try++) {
            [, $seen] = $overtaken('naive', "naive$try");
        }
        $this->assertSame('old', $seen, 'without leases the old value stays');
    }

    public function testOneProcessOfAHostReadsFromTheServer(): void
    {
        $this->two();
        $workers = [];
        for ($i = 0; $i < 8; $i++) {
            $workers[] = $this->hosts->startWorker('a');
            $this->hosts->call($workers[$i], 'delay', 0.3);
            $this->untilLocal($workers[$i]);
        }
        // Exactly one worker should read from the server. On a busy machine, more may do so, because a worker has waited longer than a
        // second, or because larder-sync was late. So try up to ten times.
        for ($try = 1, $reads = 0; $try <= 10 && $reads !== 1; $try++) {
            $this->hosts->client()->set("test:hot $try", 'value');
            usleep(100000);
            $before = array_sum(array_map(fn(int $worker): int => $this->hosts->call($worker, 'reads'), $workers));
            foreach ($workers as $worker) {
                $this->hosts->ask($worker, 'get', "hot $try");
            }
            foreach ($workers as $worker) {
                $this->assertSame('value', $this->hosts->answer($worker));
            }
            $reads = array_sum(array_map(fn(int $worker): int => $this->hosts->call($worker, 'reads'), $workers)) - $before;
        }
        $this->assertSame(1, $reads);
    }

    public function testNothingOldIsReadWhenSyncDies(): void
    {
        $bound = 0.5;
        $first = $this->hosts->startSync('a', $bound);
        $worker = $this->hosts->startWorker('a');
        $server = $this->hosts->client();
        $this->untilLocal($worker);
        foreach ([SIGKILL, SIGSTOP] as $round => $signal) {
            $server->set('test:k', "old $round");
            $this->untilKept($worker, 'k');
            $this->hosts->signal($first, $signal);
            $server->set('test:k', "new $round");
            usleep((int) ($bound * 1e6) + 10000);
            $this->assertSame("new $round", $this->hosts->call($worker, 'get', 'k'));
            $this->assertFalse($this->hosts->call($worker, 'isLocal'));
            $this->assertSame("new $round", $this->hosts->call($worker, 'get', 'k'));
            if ($signal === SIGKILL) {
                $this->hosts->kill($first);
                $first = $this->hosts->startSync('a', $bound);
            } else {
                $this->hosts->signal($first, SIGCONT);
            }
            $this->untilLocal($worker);
            $this->assertSame("new $round", $this->hosts->call($worker, 'get', 'k'));
        }
        $second = $this->hosts->startSync('a', $bound); // waits until the first one ends
        $this->untilKept($worker, 'k');
        $this->hosts->kill($first);
        $server->set('test:k', 'by the second');
        $this->hosts->until('the second leads', fn(): bool => $this->hosts->call($worker, 'isLocal') && $this->hosts->call($worker, 'get', 'k') === 'by the second');
        $this->hosts->signal($second, SIGTERM);
        $this->hosts->until('it has ended', fn(): bool => !$this->hosts->call($worker, 'isLocal'));
    }

    /** The server sends no invalidation when a client swaps databases. */
    public function testOtherValuesOfASwappedDatabaseAreSeenWithinTheBound(): void
    {
        [$a] = $this->two();
        $server = $this->hosts->client();
        $server->select(5);
        $server->set('test:k', 'new');
        $server->select(0);
        $server->set('test:k', 'old');
        $this->hosts->until('it is heard of', fn(): bool => $this->hosts->call($a, 'get', 'k') === 'old');
        $this->untilKept($a, 'k');
        $server->executeRaw(['SWAPDB', '0', '5']);
        $this->assertSeenWithinTheBound($a, 'k', 'new');
        $this->untilKept($a, 'k');
        usleep(500000); // wait until larder-sync has read the count of SWAPDB commands
        // CONFIG RESETSTAT sets the count of SWAPDB commands to 0, and the SWAPDB after it sets the count to 1 again. So larder-sync reads the
        // same count as before.
        foreach ([['MULTI'], ['CONFIG', 'RESETSTAT'], ['SWAPDB', '0', '5'], ['EXEC']] as $command) {
            $server->executeRaw($command);
        }
        $this->assertSeenWithinTheBound($a, 'k', 'old');
    }

    /** Asserts that a read returns this value if the read begins more than one bound after this call. */
    private function assertSeenWithinTheBound(int $worker, string $key, string $value): void
    {
        [$since, $last] = [hrtime(true), 0.0];
        do {
            $begun = (hrtime(true) - $since) / 1e9;
            $last = $this->hosts->call($worker, 'get', $key) === $value ? $last : $begun;
            usleep(1000);
        } while ($begun < 1.5);
        $this->assertLessThan(1.1, $last, 'seconds after which a read with another answer began');
    }

    public function testTheStatusSaysSoonThatNobodyLeads(): void
    {
        foreach ([SIGKILL, SIGSTOP] as $signal) {
            $sync = $this->hosts->startSync('a');
            $this->hosts->until('it leads', fn(): bool => str_contains($this->hosts->runSync('a', '--status'), 'leading'));
            $this->hosts->signal($sync, $signal);
            $signal === SIGKILL
                ? $this->hosts->until('it is dead', fn(): bool => preg_match('/\) [ZX] /', (string) @file_get_contents("/proc/$sync/stat")) === 1)
                : usleep(2100000);
            $said = $this->hosts->runSync('a', '--status', '--json');
            $this->assertStringNotContainsString('leading', $said);
            $this->assertSame($signal === SIGKILL ? 'dead' : null, json_decode($said, true)['state'] ?? null);
            $this->assertStringContainsString('larder_sync_up{tier="test"} 0', $this->hosts->runSync('a', '--status', '--openmetrics'));
            $this->hosts->kill($sync);
        }
    }

    /** If the file of a store is removed, the larder-sync of this store ends. The next larder-sync opens the new store. */
    public function testASyncWhoseStoreWasRemovedEnds(): void
    {
        $both = [$this->hosts->startSync('a', 0.5), $this->hosts->startSync('a', 0.5)];
        $this->untilLocal($this->hosts->startWorker('a'));
        $files = glob("{$this->hosts->folder}/a/*/*volatile") ?: glob("{$this->hosts->folder}/a/*volatile") ?: [];
        $this->assertCount(1, $files);
        foreach ($both as $sync) {
            $mapped = '/ ' . fileinode($files[0]) . ' /';
            $this->hosts->until('it has opened the store', static fn(): bool => preg_match($mapped, (string) @file_get_contents("/proc/$sync/maps")) === 1);
        }
        unlink($files[0]);
        foreach ($both as $sync) {
            $this->hosts->until('it has ended', fn(): bool => !$this->hosts->runs($sync));
        }
        $this->assertSame(2, substr_count($this->hosts->syncLog(), 'larder-sync: the store of this host is off, or its file was removed or replaced'));
        $this->hosts->startSync('a', 0.5);
        $this->untilLocal($this->hosts->startWorker('a'));
    }

    public function testTheServerMayGoAndComeBack(): void
    {
        [$a] = $this->two(bound: 0.5);
        $this->assertTrue($this->hosts->call($a, 'set', 'k', 'old'));
        $this->untilKept($a, 'k');
        $this->hosts->kill($this->hosts->server);
        $this->hosts->until('nobody vouches', fn(): bool => !$this->hosts->call($a, 'isLocal'));
        $this->assertSame('default', $this->hosts->call($a, 'get', 'k', 'default'));
        $this->assertFalse($this->hosts->call($a, 'set', 'k', 'new'));
        $this->assertSame(ServerUnreachable::class, $this->hosts->call($a, 'error'));
        unlink($this->hosts->socket);
        $this->hosts->startServer();
        $this->untilLocal($a);
        $this->assertNull($this->hosts->call($a, 'get', 'k'));
        $this->assertTrue($this->hosts->call($a, 'set', 'k', 'newer'));
        $this->assertSame('newer', $this->hosts->call($a, 'get', 'k'));
        $this->assertStringNotContainsString('Deprecated', (string) file_get_contents("{$this->hosts->folder}/sync.log"));
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testAHostHasTheLocksOfItsDeadAtOnce(string $client): void
    {
        [$dead, $same, $other] = array_map(fn(string $host): int => $this->hosts->startWorker($host, $client), ['a', 'a', 'b']);
        $this->assertTrue($this->hosts->call($dead, 'lock', 'k'));
        $this->assertTrue($this->hosts->call($dead, 'lock', 'leased', 50));
        $this->assertSame([false, false, false], [$this->hosts->call($dead, 'lock', 'k'), $this->hosts->call($same, 'lock', 'k'), $this->hosts->call($other, 'lock', 'k')]);
        $this->hosts->kill($dead);
        $this->assertSame([false, true, false], [$this->hosts->call($other, 'lock', 'k'), $this->hosts->call($same, 'lock', 'k'), $this->hosts->call($other, 'lock', 'k')]);
        $this->assertTrue($this->hosts->call($same, 'lock', 'leased'));
        $this->assertSame([false, true, true, false], [$this->hosts->call($other, 'unlock', 'k'), $this->hosts->call($same, 'unlock', 'k'), $this->hosts->call($other, 'lock', 'k'), $this->hosts->call($same, 'lock', 'k')]);
        $this->hosts->kill($other);
        $this->assertFalse($this->hosts->call($same, 'lock', 'k'));
    }

    public function testASyncOfAnotherPrefixVouchesForNothing(): void
    {
        $this->hosts->startSyncOf('a', 0.5, "--server=unix:{$this->hosts->socket}", '--prefix=another:');
        $worker = $this->hosts->startWorker('a');
        $this->hosts->until('it leads', fn(): bool => str_contains($this->hosts->runSync('a', '--status'), 'leading'));
        usleep(500000); // wait for the bound (0.5 s): then this larder-sync vouches, but only for copies of its own prefix
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 'old'));
        $this->assertSame('old', $this->hosts->call($worker, 'get', 'k'));
        $this->hosts->client()->set('test:k', 'new');
        $this->assertSame(['new', false], [$this->hosts->call($worker, 'get', 'k'), $this->hosts->call($worker, 'isLocal')]);
    }

    public function testWhatTheServerRefusesIsSaidAndReadsGoOn(): void
    {
        $server = $this->hosts->client();
        $server->executeRaw(['ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '&*', '+@all', '-client|tracking']);
        $this->hosts->startSync('a', 0.5, '?username=limited&password=secret');
        $worker = $this->hosts->startWorker('a');
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 'value'));
        $this->hosts->until('it is said', fn(): bool => str_contains($this->hosts->syncLog(), 'NOPERM'));
        $this->assertStringStartsWith('larder-sync: failed: The server refused: NOPERM', $this->hosts->syncLog());
        $this->assertFalse($this->hosts->call($worker, 'isLocal'));
        $this->assertSame('value', $this->hosts->call($worker, 'get', 'k'));
        $server->executeRaw(['ACL', 'SETUSER', 'limited', '+client|tracking']);
        $this->untilLocal($worker);
    }

    public function testWrongUseIsOneSentence(): void
    {
        $sync = [PHP_BINARY, '-n', '-d', 'extension_dir=' . \ini_get('extension_dir'), '-d', 'extension=' . (getenv('LARDER_MODULE') ?: \dirname(__DIR__, 4) . '/php/modules/larder.so'), \dirname(__DIR__, 2) . '/bin/larder-sync'];
        $wrong = [
            [['--name=x'], 2, '--server=URI is missing'],
            [['--server=unix:x'], 2, '--name=NAME is missing'],
            [['--name=x', '--server=unix:x', '--bound=soon'], 2, '--bound must be 0.05 to 3600 seconds, "soon" given'],
            [['--name=x', '--server=unix:x', '--prefix='], 2, '--prefix must have at least one byte'],
            [['--name=x', '--server=10.0.0.1'], 2, '--server must be like tcp://10.0.0.1:6379, tls://10.0.0.1:6379 or unix:/run/redis.sock, "10.0.0.1" given'],
            [['--name=x', '--server=http://10.0.0.1'], 2, '--server must be like tcp:'],
            [['--name=x', '--server=tcp://10.0.0.1:26379,10.0.0.2', '--sentinel=s'], 2, '--server must be like tcp:'],
            [['--name=x', 'what'], 2, 'unknown argument "what"'],
            [['--name=x', '--server=unix:x', '--prefx=app:'], 2, 'unknown option "--prefx=app:": expected --name=NAME'],
            [['--name', 'x', '--status', '--status=1'], 2, 'unknown option "--status=1"'],
            [['--name=x', '--status', '--prefix'], 2, '--prefix has no value: expected --name=NAME'],
            [['-n', '--name=x'], 2, 'unknown option "-n"'],
            [['--name', 'x', '--server', 'unix:x', '--bound', '-1'], 2, '--bound must be 0.05 to 3600 seconds, "-1" given'],
            [['--name=x', '--status', '--json', '--openmetrics'], 2, 'only one of --json and --openmetrics may be given'],
            [['--name=x', '--openmetrics'], 2, '--openmetrics is a form of --status, which is missing'],
            [['--name=x', '--json', '--server=unix:x'], 2, '--json is a form of --status, which is missing'],
            [['--name=x', '--status'], 1, 'no larder-sync of the tier "x" runs on this host'],
        ];
        foreach ($wrong as [$arguments, $code, $text]) {
            $process = proc_open(['timeout', '60', ...$sync, ...$arguments], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']], $pipes, null, ['LARDER_AUTOLOAD' => Hosts::autoload()] + getenv());
            $this->assertIsResource($process);
            $said = (string) stream_get_contents($pipes[2]);
            $this->assertStringStartsWith("larder-sync: $text", $said);
            $this->assertSame(1, substr_count($said, "\n"));
            $this->assertSame($code, proc_close($process));
        }
    }

    public function testLookingMakesAndReplacesNoStore(): void
    {
        require_once \dirname(__DIR__, 4) . '/php/tests/include/ops.php';
        $folder = ops_folder();
        $php = [PHP_BINARY, '-n', '-d', 'extension_dir=' . \ini_get('extension_dir'), '-d', 'extension=' . (getenv('LARDER_MODULE') ?: \dirname(__DIR__, 4) . '/php/modules/larder.so'), '-d', "larder.path=$folder", '-d', 'larder.scope=app'];
        $run = function (string ...$words) use ($php): string {
            $process = proc_open(['timeout', '60', ...$php, ...$words], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, null, ['LARDER_AUTOLOAD' => Hosts::autoload()] + getenv());
            $this->assertIsResource($process);
            return stream_get_contents($pipes[1]) . proc_close($process);
        };
        $sync = [\dirname(__DIR__, 2) . '/bin/larder-sync', '--name=x', '--status'];
        $none = "larder-sync: no larder-sync of the tier \"x\" runs on this host, or it uses another store\n1";
        $this->assertSame($none, $run(...$sync));
        $this->assertStringContainsString('larder_sync_up{tier="x"} 0', $run(...[...$sync, '--openmetrics']));
        $this->assertSame([], glob("$folder/*"));

        $this->assertSame('0', $run('-r', 'Larder\VolatileCache::set("key", 1);'));
        $this->assertSame($none, $run(...$sync));
        $this->assertSame('0', $run('-r', 'require getenv("LARDER_AUTOLOAD"); Larder\Cache\Tiered\Tier::report("x")->set("report", ["state" => "stopped"]);'));
        $this->assertMatchesRegularExpression('/^state +stopped\n1$/', $run(...$sync));
        $allowed = \dirname(__DIR__, 4) . ':' . \dirname(Hosts::autoload());
        $this->assertMatchesRegularExpression('/^state +stopped\n1$/', $run('-d', "open_basedir=$allowed", ...$sync));
        $file = (glob("$folder/*/app-volatile") ?: [''])[0];
        ops_other_abi($file);
        $inode = fileinode($file);
        $this->assertSame($none, $run(...$sync));
        clearstatcache();
        $this->assertSame($inode, fileinode($file));
        $this->assertStringContainsString('php20990101', (string) file_get_contents($file, false, null, 0, 4096));
    }

    /** Other programs may write keys to the server that no host can store. The invalidations of these keys must not end larder-sync. */
    public function testKeysThatCannotBeHereEndNothing(): void
    {
        [$a] = $this->two(bound: 0.5);
        $server = $this->hosts->client();
        $server->set('test:' . str_repeat('k', 70000), 'x');
        $server->set("test:\0up", 'x');
        $server->set('test:', 'x');
        $server->set('test:after', 'x');
        $this->untilKept($a, 'after');
        $server->set('test:after', 'y');
        $this->hosts->until('it is heard of', fn(): bool => $this->hosts->call($a, 'get', 'after') === 'y');
        $this->assertTrue($this->hosts->call($a, 'isLocal'));
        $this->assertSame('', $this->hosts->syncLog());
        $server->flushall();
        foreach (['', str_repeat('k', 65001), "\0up"] as $key) {
            foreach ([['set', $key, 1], ['add', $key, 1], ['increment', $key], ['touch', $key, 1], ['delete', $key], ['lock', $key]] as $call) {
                $this->assertStringStartsWith(\Larder\Cache\Exception\KeyRefused::class, (string) $this->hosts->call($a, ...$call), $call[0]);
            }
        }
        $this->assertSame([], $server->keys('*'), 'nothing was changed');
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testTheServerMayCloseAConnection(string $client): void
    {
        $worker = $this->hosts->startWorker('a', $client);
        $server = $this->hosts->client();
        foreach ([['get', 'k', 'default'], ['getMultiple', ['k', 'n']], ['set', 'k', 1], ['setMultiple', ['k' => 1, 'n' => 2]], ['increment', 'n'], ['delete', 'k']] as $call) {
            $this->assertTrue($this->hosts->call($worker, 'setMultiple', ['k' => 5, 'n' => 6]));
            $server->executeRaw(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
            $said = $this->hosts->call($worker, ...$call);
            $this->assertStringNotContainsString('Error', (string) json_encode($said), $call[0]);
            if ($client === 'phpredis') { // phpredis connects again by itself
                $this->assertSame(['get' => 5, 'getMultiple' => ['k' => 5, 'n' => 6], 'increment' => 7][$call[0]] ?? true, $said, $call[0]);
            }
        }
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testNothingToDoIsDone(string $client): void
    {
        $worker = $this->hosts->startWorker('a', $client);
        $this->assertTrue($this->hosts->call($worker, 'setMultiple', []));
        $this->assertSame([], $this->hosts->call($worker, 'getMultiple', []));
        $this->assertTrue($this->hosts->call($worker, 'deleteMultiple', []));
        $this->assertNull($this->hosts->call($worker, 'error'));
        $this->assertFalse($this->hosts->call($worker, 'decrement', 'n', PHP_INT_MIN));
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testWhatTheServerDoesNotClearIsSaid(string $client): void
    {
        $worker = $this->hosts->startWorker('a', $client);
        $server = $this->hosts->client();
        foreach (['-scan' => '+scan', '-unlink' => '+unlink'] as $less => $more) {
            $this->assertTrue($this->hosts->call($worker, 'set', 'k', 1));
            $server->executeRaw(['ACL', 'SETUSER', 'default', $less]);
            $this->assertFalse($this->hosts->call($worker, 'clear'), $less);
            $server->executeRaw(['ACL', 'SETUSER', 'default', $more]);
            $this->assertSame(1, $this->hosts->call($worker, 'get', 'k'));
        }
        $this->assertTrue($this->hosts->call($worker, 'clear') && $this->hosts->call($worker, 'clear'));
        $this->assertNull($this->hosts->call($worker, 'get', 'k'));
    }

    #[\PHPUnit\Framework\Attributes\DataProvider('clients')]
    public function testAnErrorIsAnAnswerAndSilenceIsNot(string $client): void
    {
        $worker = $this->hosts->startWorker('a', $client);
        $server = $this->hosts->client();
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 1));
        $server->executeRaw(['CONFIG', 'SET', 'maxmemory', '1']);
        foreach ([['set', 'k', 2], ['setMultiple', ['k' => 2, 'n' => 3]], ['add', 'new', 1], ['lock', 'l']] as $call) {
            $this->assertFalse($this->hosts->call($worker, ...$call), $call[0]);
            $this->assertSame(ServerFailure::class, $this->hosts->call($worker, 'error'), $call[0]);
        }
        $server->executeRaw(['CONFIG', 'SET', 'maxmemory', '0']);
        $server->executeRaw(['ACL', 'SETUSER', 'default', '-get', '-unlink']);
        foreach ([['get', 'k'], ['delete', 'k']] as $call) {
            $this->hosts->call($worker, ...$call);
            $this->assertSame(ServerFailure::class, $this->hosts->call($worker, 'error'), $call[0]);
        }
        $server->executeRaw(['ACL', 'SETUSER', 'default', '+get', '+unlink']);
        // Skip Predis, which would wait for the stopped server for a minute.
        foreach ($client === 'phpredis' ? [['get', 'k'], ['set', 'k', 2], ['delete', 'k']] : [] as $call) {
            // The machine may stall during a try, so a single fast try is enough to pass.
            for ($try = 1, $first = $both = 0.0; $try <= 10 && $both >= $first + 0.1; $try++) {
                $first = 0.0;
                usleep(1100000);
                $this->hosts->signal($this->hosts->server, SIGSTOP);
                $begin = microtime(true);
                $this->hosts->call($worker, ...$call);
                $this->assertSame(ServerUnreachable::class, $this->hosts->call($worker, 'error'), $call[0]);
                $this->assertGreaterThan(0.1, $first = microtime(true) - $begin, $call[0]);
                $this->hosts->call($worker, ...$call);
                $both = microtime(true) - $begin;
                $this->hosts->signal($this->hosts->server, SIGCONT);
            }
            $this->assertLessThan($first + 0.1, $both, $call[0]);
        }
    }

    /** Other programs, or another version of Larder, may write entries whose keys begin with the prefix. */
    public function testWhatCannotBeReadIsAMiss(): void
    {
        [$a] = $this->two();
        foreach (["\1garbage", "\2garbage", "\1", "\2", "\0"] as $bytes) {
            $this->hosts->client()->set('test:k', $bytes);
            $this->hosts->until('it is heard of', fn(): bool => $this->hosts->call($a, 'get', 'k', 'default') === 'default');
            $this->assertSame(['k' => 'default'], $this->hosts->call($a, 'getMultiple', ['k'], ['k' => 'default']));
        }
    }

    /** The values on the server only grow. No process may see a value decrease. */
    public function testValuesOnlyGrowWhileProcessesAreKilled(): void
    {
        $keys = 20;
        $seconds = (float) (getenv('LARDER_TIER_SECONDS') ?: 6);
        $sync = ['a' => $this->hosts->startSync('a', 0.3), 'b' => $this->hosts->startSync('b', 0.3)];
        $watchers = [];
        foreach (['a', 'b', 'a', 'b'] as $i => $host) {
            $watchers[$i] = $this->hosts->startWorker($host);
            $this->untilLocal($watchers[$i]);
        }
        $writers = ['a' => $this->hosts->startWorker('a'), 'b' => $this->hosts->startWorker('b')];
        foreach ($watchers as $watcher) {
            $this->hosts->ask($watcher, 'watch', $keys, $seconds);
        }
        $server = $this->hosts->client();
        $value = 0;
        $kills = 0;
        for ($end = hrtime(true) + $seconds * 1e9; hrtime(true) < $end || $kills <= 2; usleep(500)) {
            $value++;
            $host = $value % 2 === 0 ? 'a' : 'b';
            $key = 'grows ' . mt_rand(0, $keys - 1);
            if ($value % 3 === 0) {
                $server->set("test:$key", (string) $value);
            } elseif ($value % 25 === 1) { // kill a worker in the middle of a write
                $this->hosts->ask($writers[$host], 'set', $key, $value);
                usleep(mt_rand(0, 500));
                $this->hosts->kill($writers[$host]);
                $writers[$host] = $this->hosts->startWorker($host);
                $this->hosts->call($writers[$host], 'isLocal'); // after this call, no command of the killed worker can still take effect
                $kills++;
            } else {
                $this->hosts->call($writers[$host], 'set', $key, $value);
            }
            if ($value % 100 === 0) {
                $this->hosts->kill($sync[$host]);
                $sync[$host] = $this->hosts->startSync($host, 0.3);
                $kills++;
            }
        }
        $this->assertGreaterThan(2, $kills);
        foreach ($watchers as $watcher) {
            [$reads, $wrong] = $this->hosts->answer($watcher);
            $this->assertGreaterThan(100, $reads);
            $this->assertSame(0, $wrong);
        }
        usleep(300000); // copies may be out of date for 0.3 s, the bound
        foreach (range(0, $keys - 1) as $i) {
            $this->assertEquals($server->get("test:grows $i"), $this->hosts->call($watchers[0], 'get', "grows $i"));
        }
    }
}
