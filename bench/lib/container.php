<?php

/* Measures the first use of a pinned static with a compiled container of Symfony, and the compiling of such a container: CPU time, medians.
 * The container has all definitions, aliases and parameters of framework-bundle with cache, locks and sessions. Its definitions have
 * __serialize(), so each first use rebuilds them and loads their classes.
 *
 *   php bench/lib/container.php [--rounds=N] */

declare(strict_types=1);

use Larder\PinnedCache;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Component\Config\Loader\LoaderInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\HttpKernel\Kernel;

$project = dirname(__DIR__, 2);
$lib = getenv('LARDER_LIB') ?: "$project/build/lib";
if (!is_file("$lib/vendor/autoload.php")) {
    exit("container: skipped: packages/php/tests/run.sh --install-only has not installed Symfony\n");
}
if (!extension_loaded('larder')) {
    $folder = '/dev/shm/larder-bench-container-' . getmypid();
    mkdir($folder);
    $command = [PHP_BINARY, '-n'];
    foreach (["extension=$project/php/modules/larder.so", 'zend_extension=opcache', 'opcache.enable_cli=1', 'memory_limit=1G', 'larder.statics=1', "larder.path=$folder"] as $setting) {
        array_push($command, '-d', $setting);
    }
    $status = 0;
    foreach (['build', 'use'] as $step) {
        $status = $status ?: proc_close(proc_open([...$command, __FILE__, $step, $folder, ...array_slice($argv, 1)], [STDIN, STDOUT, STDERR], $pipes));
    }
    exec('rm -rf ' . escapeshellarg($folder));
    exit($status);
}
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
require "$lib/vendor/autoload.php";
require "$project/packages/php/tests/polyfill.php";
[, $step, $folder] = $argv;
$rounds = (int) (getopt('', ['rounds:'])['rounds'] ?? 11);

function cpu(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e3 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e3;
}

final class BenchKernel extends Kernel
{
    public static string $folder;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
    }

    public function getProjectDir(): string
    {
        return self::$folder;
    }

    public function registerContainerConfiguration(LoaderInterface $loader): void
    {
        $loader->load(static function (ContainerBuilder $container): void {
            $container->loadFromExtension('framework', ['secret' => 'none', 'test' => false, 'http_method_override' => false, 'handle_all_throwables' => true, 'php_errors' => ['log' => true], 'cache' => ['app' => 'cache.adapter.filesystem', 'pools' => ['tagged' => ['adapter' => 'cache.app', 'tags' => true]]], 'lock' => 'flock', 'session' => ['storage_factory_id' => 'session.storage.factory.native', 'cookie_secure' => false]]);
        });
    }

    /** @return array{array<string, Definition>, array<string, string>, array<mixed>} */
    public function compiled(): array
    {
        $this->initializeBundles();
        $builder = $this->buildContainer();
        $builder->compile();
        return [$builder->getDefinitions(), array_map(strval(...), $builder->getAliases()), $builder->getParameterBag()->all()];
    }
}
BenchKernel::$folder = $folder;
file_put_contents("$folder/holder.php", '<?php final class Holder { #[Larder\PinnedStatic] public static ?array $compiled = null; }');

if ($step === 'build') {
    $times = [];
    for ($i = 0; $i < $rounds; $i++) {
        $start = cpu();
        $compiled = (new BenchKernel('prod', false))->compiled();
        $times[] = cpu() - $start;
    }
    require "$folder/holder.php";
    Holder::$compiled = $compiled;
    (static fn() => 0)(); // the safe point publishes it
    sort($times);
    file_put_contents("$folder/built", serialize([$times[intdiv($rounds, 2)], count($compiled[0]), md5(serialize($compiled))]));
    exit;
}
[$built, $count, $sum] = unserialize(file_get_contents("$folder/built"));
$times = [];
for ($i = 0; $i < $rounds; $i++) { // a new process, like a worker that has used nothing yet
    if (pcntl_fork() === 0) {
        $start = cpu();
        require "$folder/holder.php";
        $found = count(Holder::$compiled[0]);
        $spent = cpu() - $start;
        $found === $count && md5(serialize(Holder::$compiled)) === $sum || exit(1);
        file_put_contents("$folder/times", "$spent\n", FILE_APPEND);
        exit(0);
    }
    pcntl_wait($status);
    pcntl_wexitstatus($status) === 0 || throw new RuntimeException('a wrong container');
}
$times = array_map(floatval(...), file("$folder/times"));
sort($times);
require "$folder/holder.php";
$first = $times[intdiv($rounds, 2)];
printf("Symfony's compiled container, %d definitions (%s): first use in a worker %.3f ms, compiling it anew %.1f ms: %.4fx\n", $count, PinnedCache::getCacheStoreType('compiled', Holder::class)->name, $first, $built, $first / $built);
