<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\ConnectionUnusable;
use Larder\Cache\Tiered\PredisServer;
use Larder\Cache\Tiered\TieredStore;
use Larder\Tests\Work\Php;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Predis\Client;

/** Tests all kinds of servers, and the reports of larder-sync. */
final class ServersTest extends TestCase
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

    /** @return iterable<string, array{string}> */
    public static function clients(): iterable
    {
        return TieredTest::clients();
    }

    private function seen(int $worker, string $key, mixed $value): void
    {
        $this->hosts->until("$key is seen", fn(): bool => $this->hosts->call($worker, 'get', $key) === $value);
    }

    private function local(int $worker, bool $is = true): void
    {
        $this->hosts->until($is ? 'the host is in step' : 'nobody vouches', fn(): bool => $this->hosts->call($worker, 'isLocal') === $is);
    }

    public function testManyKeysInOneMessageAreAllInvalidated(): void
    {
        $this->hosts->startSync('a');
        $worker = $this->hosts->startWorker('a');
        $this->local($worker);
        $server = $this->hosts->client();
        $values = [];
        for ($i = 0; $i < 30000; $i++) {
            $values["test:key $i" . str_repeat('.', $i % 60)] = '2';
        }
        $keys = array_map(fn(string $key): string => substr($key, 5), [array_key_first($values), array_keys($values)[15000], array_key_last($values)]);
        foreach ($keys as $key) {
            $server->set("test:$key", '1');
            $this->hosts->until('it is kept', fn(): bool => $this->hosts->call($worker, 'get', $key) === 1 && $this->hosts->call($worker, 'local', $key) === 1);
        }
        $server->mset($values);
        foreach ($keys as $key) {
            $this->seen($worker, $key, 2);
        }
        $this->assertCount(3, $keys);
        $this->hosts->until('all are counted', fn(): bool => (json_decode($this->hosts->runSync('a', '--status', '--json'), true)['invalidations'] ?? 0) >= 30000);
    }

    /** By default, Predis reads from replicas. */
    public function testAPredisThatKnowsReplicasClearsTheMaster(): void
    {
        $ports = [Hosts::freePort(), Hosts::freePort()];
        foreach ($ports as $port) {
            $this->hosts->startRedis($port, ['--save', '']);
        }
        // The second server stands for a replica that has no data yet.
        $servers = ["tcp://127.0.0.1:$ports[0]?role=master", "tcp://127.0.0.1:$ports[1]?role=slave"];
        $master = new Client("tcp://127.0.0.1:$ports[0]");
        $this->hosts->until('both answer', fn(): bool => (string) $master->ping() === 'PONG' && (string) (new Client("tcp://127.0.0.1:$ports[1]"))->ping() === 'PONG');
        $master->set('test:k', '1');
        $store = new TieredStore(new PredisServer(new Client($servers, ['replication' => 'predis'])), 'replicas', 'test:');
        $this->assertTrue($store->clear());
        $this->assertSame(0, $master->exists('test:k'));
    }

    public function testAPredisThatThrowsNothingFailsToo(): void
    {
        $server = $this->hosts->client();
        $store = new TieredStore(new PredisServer(new Client("unix:{$this->hosts->socket}", ['exceptions' => false])), 'silent', 'test:');
        $this->assertTrue($store->set('k', 1) && $store->add('new', 1));
        $server->executeRaw(['CONFIG', 'SET', 'maxmemory', '1']);
        $this->assertSame([false, false, false, false, 1], [$store->set('k', 2), $store->add('newer', 1), $store->lock('l'), $store->increment('k'), $store->get('k')]);
        $this->assertStringStartsWith('OOM', (string) $store->lastError()?->getMessage());
        $server->executeRaw(['CONFIG', 'SET', 'maxmemory', '0']);
        $server->lpush('test:list', ['x']);
        $this->assertSame('default', $store->get('list', 'default'));
    }

    #[DataProvider('clients')]
    public function testTls(string $client): void
    {
        // A server with TLS accepts --tls-port. Its error message then names the second option.
        $said = (string) shell_exec(Hosts::program('server') . ' --tls-port 0 --not-a-setting 1 2>&1');
        is_executable('/usr/bin/openssl') && str_contains($said, 'not-a-setting') || $this->markTestSkipped('openssl is missing, or this server has no TLS');
        $folder = $this->hosts->folder;
        exec("openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout $folder/key -out $folder/certificate 2>&1", $said, $code);
        $this->assertSame(0, $code, implode("\n", $said));
        $port = Hosts::freePort();
        $this->hosts->startRedis(0, ['--tls-port', (string) $port, '--tls-cert-file', "$folder/certificate", '--tls-key-file', "$folder/key", '--tls-ca-cert-file', "$folder/certificate", '--tls-auth-clients', 'no']);
        $uri = "tls://127.0.0.1:$port?ssl[cafile]=$folder/certificate";
        $server = new Client($uri);
        $this->hosts->until('the server answers', fn(): bool => (string) $server->ping() === 'PONG');
        // This larder-sync does not know the server's certificate.
        $this->hosts->startSyncOf('a', 0.5, "--server=tls://127.0.0.1:$port?ssl[verify_peer]=1");
        $worker = $this->hosts->startWorker('a', $client, "tls://127.0.0.1:$port?$folder/certificate");
        $this->hosts->until('the certificate is refused', fn(): bool => str_contains($this->hosts->syncLog(), 'failed'));
        $this->assertFalse($this->hosts->call($worker, 'isLocal'));
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 'without'));
        $this->assertSame('without', $this->hosts->call($worker, 'get', 'k'));
        $this->hosts->startSyncOf('b', 0.5, "--server=$uri");
        $worker = $this->hosts->startWorker('b', $client, "tls://127.0.0.1:$port?$folder/certificate");
        $this->local($worker);
        $many = array_fill_keys(array_map(fn(int $i): string => "test:$i " . str_repeat('x', 200), range(1, 2000)), 'v');
        $this->hosts->until('it is kept', fn(): bool => $this->hosts->call($worker, 'get', 'k') === 'without' && $this->hosts->call($worker, 'local', 'k') === 'without');
        $server->mset($many + ['test:k' => 'new']); // the keys make the invalidations larger than one TLS record
        $this->seen($worker, 'k', 'new');
    }

    #[DataProvider('clients')]
    public function testSentinelsSayWhichServerItIs(string $client): void
    {
        $missing = Hosts::programMissing('sentinel');
        $missing === null || $this->markTestSkipped($missing);
        [$first, $second, $watching] = [Hosts::freePort(), Hosts::freePort(), Hosts::freePort()];
        $one = $this->hosts->startRedis($first, ['--save', '']);
        $this->hosts->startRedis($second, ['--save', '', '--replicaof', "127.0.0.1 $first"]);
        $servers = [$first => new Client("tcp://127.0.0.1:$first"), $second => new Client("tcp://127.0.0.1:$second")];
        $this->hosts->until('it replicates', fn(): bool => str_contains((string) json_encode($servers[$second]->info('replication')), '"master_link_status":"up"'));
        $configuration = "{$this->hosts->folder}/sentinel.conf";
        file_put_contents($configuration, "sentinel monitor service 127.0.0.1 $first 1\nsentinel down-after-milliseconds service 3000\nsentinel failover-timeout service 3000\n");
        $this->hosts->startRedis($watching, [], 'sentinel', $configuration);
        $sentinel = new Client("tcp://127.0.0.1:$watching");
        $this->hosts->until('the Sentinel knows both', fn(): bool => \count((array) $sentinel->executeRaw(['SENTINEL', 'replicas', 'service'])) === 1);

        $this->hosts->startSyncOf('a', 0.5, "--server=tcp://127.0.0.1:1,tcp://127.0.0.1:$watching", '--sentinel=service');
        $worker = $this->hosts->startWorker('a', $client, "sentinel://127.0.0.1:$watching");
        $this->local($worker);
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 'one'));
        $this->hosts->until('it is kept', fn(): bool => $this->hosts->call($worker, 'get', 'k') === 'one' && $this->hosts->call($worker, 'local', 'k') === 'one');
        $this->hosts->until('it is copied', fn(): bool => $servers[$second]->get('test:k') === 'one');

        // The master dies.
        $this->hosts->kill($one);
        $this->local($worker, false);
        $this->hosts->until('the other is the master', fn(): bool => ((array) $servers[$second]->executeRaw(['ROLE']))[0] === 'master');
        $servers[$second]->set('test:k', 'two');
        $this->seen($worker, 'k', 'two');
        $this->local($worker);
        $this->hosts->until('it is kept', fn(): bool => $this->hosts->call($worker, 'get', 'k') === 'two' && $this->hosts->call($worker, 'local', 'k') === 'two');
        $servers[$second]->set('test:k', 'three');
        $this->seen($worker, 'k', 'three');
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 'four'));
        $this->assertSame('four', $servers[$second]->get('test:k'));

        $this->hosts->startSyncOf('b', 0.5, "--server=tcp://127.0.0.1:$watching", '--sentinel=another');
        $this->hosts->until('it is said', fn(): bool => str_contains($this->hosts->syncLog(), 'larder-sync: failed: No Sentinel names a master of "another": it does not know the name'));
    }

    public function testAClientOfPredisWithAPrefixIsRefused(): void
    {
        foreach (['app:', new \Predis\Command\Processor\KeyPrefixProcessor('app:'), static fn(): string => 'app:'] as $prefix) {
            try {
                new PredisServer(new Client("unix:{$this->hosts->socket}", ['prefix' => $prefix]));
                $this->fail('taken');
            } catch (ConnectionUnusable $error) {
                $this->assertStringContainsString('the option "prefix"', $error->getMessage());
            }
        }
        foreach ([[], ['prefix' => '']] as $options) {
            (new PredisServer(new Client("unix:{$this->hosts->socket}", $options)))->write(['key' => 'v'], 0);
            $this->assertSame('v', $this->hosts->client()->get('key'));
        }
    }

    /**
     * If a connection changes keys, such as Laravel's Redis::connection() with a prefix, a cache must throw an error. It must not report a
     * miss.
     */
    public function testAConnectionOfPhpRedisThatChangesKeysOrValuesIsRefused(): void
    {
        is_file(\PHP_EXTENSION_DIR . '/redis.so') || $this->markTestSkipped('phpredis is not installed');
        $code = 'require ' . var_export(Hosts::autoload(), true) . ';
            use Larder\Cache\{ItemPool, SimpleCache}; use Larder\Cache\Tiered\{ConnectionUnusable, PhpRedisServer, TieredStore};
            function tried(Closure $call): string { try { return json_encode($call()); } catch (ConnectionUnusable $error) { return preg_match("/Redis::OPT_\w+|multi/", $error->getMessage(), $name) ? $name[0] : "?"; } }
            $redis = new Redis(); $redis->connect(' . var_export($this->hosts->socket, true) . ');
            $store = new TieredStore(new PhpRedisServer(fn() => $redis), "refused", "r:"); $simple = new SimpleCache($store); $pool = new ItemPool($store);
            $seen = [tried(fn() => $simple->set("k", "v")), tried(fn() => $simple->get("k"))];
            foreach (array_filter(["OPT_PREFIX" => "app:", "OPT_SERIALIZER" => Redis::SERIALIZER_PHP, "OPT_COMPRESSION" => defined("Redis::COMPRESSION_LZF") ? Redis::COMPRESSION_LZF : 0]) as $option => $value) {
                $option = constant("Redis::$option"); $none = $redis->getOption($option); $redis->setOption($option, $value);
                foreach ([fn() => $simple->get("k"), fn() => $simple->set("k", "v"), fn() => $simple->has("k"), fn() => $pool->getItem("k"), fn() => $store->lock("k"), fn() => $store->clear()] as $call) $seen[] = tried($call);
                $redis->setOption($option, $none ?? "");
            }
            $redis->multi(); $seen[] = tried(fn() => $simple->get("k")); $redis->discard();
            $seen[] = tried(fn() => $simple->get("k"));
            echo implode(" ", array_unique($seen)), " ", count($seen);';
        $extensions = ['-d', 'extension=redis'];
        // Debian's phpredis needs igbinary.
        is_file(\PHP_EXTENSION_DIR . '/igbinary.so') && array_unshift($extensions, '-d', 'extension=igbinary');
        $this->assertMatchesRegularExpression('/^true "v" Redis::OPT_PREFIX Redis::OPT_SERIALIZER (Redis::OPT_COMPRESSION multi 22|multi 16)$/', (new Php())->run(...[...$extensions, '-r', $code]));
    }

    public function testAUserWithTheLeastRightsDoes(): void
    {
        $this->hosts->client()->executeRaw(['ACL', 'SETUSER', 'least', 'on', '>secret', 'resetchannels', '&__redis__:invalidate', 'nocommands', '+client|tracking', '+client|id', '+subscribe', '+ping']);
        $this->hosts->startSync('a', 0.5, '?username=least&password=secret');
        $worker = $this->hosts->startWorker('a');
        $this->local($worker);
        $this->assertTrue($this->hosts->call($worker, 'set', 'k', 1));
        $this->hosts->client()->set('test:k', '2');
        $this->seen($worker, 'k', 2);
    }

    public function testAClusterIsRefused(): void
    {
        $port = Hosts::freePort();
        // A node of a cluster has a second port for the other nodes. By default its number is that of the server's port plus 10000, and
        // another program may already use it. So choose a free port.
        $this->hosts->startRedis($port, ['--cluster-enabled', 'yes', '--cluster-port', (string) Hosts::freePort(), '--save', '']);
        $this->hosts->startSyncOf('a', 0.5, "--server=tcp://127.0.0.1:$port");
        $this->hosts->until('it is said', fn(): bool => str_contains($this->hosts->syncLog(), 'larder-sync: failed: This is a node of a Redis Cluster'));
        $this->assertFalse($this->hosts->call($this->hosts->startWorker('a'), 'isLocal'));
    }

    public function testTheStatusAsOpenMetrics(): void
    {
        exec('/usr/bin/python3 -c "import prometheus_client.openmetrics.parser" 2>&1', $said, $code);
        $code === 0 || $this->markTestSkipped('python3-prometheus-client is missing');
        $this->assertEquals(['larder_sync_up{tier=test}' => 0], $this->metrics());
        $this->hosts->startSync('a', 0.5);
        $worker = $this->hosts->startWorker('a');
        $this->local($worker);
        $server = $this->hosts->client();
        for ($i = 0; $i < 25; $i++) {
            $server->set("test:$i", '1');
            $server->set("other:$i", '1');
        }
        $server->flushall();
        $this->hosts->until('all is counted', fn(): bool => ($this->metrics()['larder_sync_flushes_total{tier=test}'] ?? 0) == 1);
        $metrics = $this->metrics();
        $this->assertEquals([1, 25, 0.5, 1, 0], array_map(fn(string $name): mixed => $metrics["larder_sync_$name{tier=test}"] ?? null, ['up', 'invalidations_total', 'bound_seconds', 'connections_total', 'failures_total']));
        $this->hosts->until('the lag is less than the bound', fn(): bool => $this->metrics()['larder_sync_lag_seconds{tier=test}'] < 0.5);
    }

    /** @return array<string, int|float> the metrics as the parser of Prometheus' own client reads them */
    private function metrics(): array
    {
        $parser = proc_open(['/usr/bin/python3', '-c', '
import sys, json
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(json.dumps({s.name + ("{" + ",".join(f"{k}={v}" for k, v in s.labels.items()) + "}"): s.value for f in parse(sys.stdin.read()) for s in f.samples}))
'], [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
        $this->assertIsResource($parser);
        fwrite($pipes[0], $text = $this->hosts->runSync('a', '--status', '--openmetrics'));
        fclose($pipes[0]);
        $said = (string) stream_get_contents($pipes[1]);
        proc_close($parser);
        $metrics = json_decode($said, true);
        $this->assertIsArray($metrics, "no OpenMetrics:\n$text$said");
        return $metrics;
    }
}
