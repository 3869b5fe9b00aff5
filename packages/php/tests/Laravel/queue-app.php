<?php

/* A console application with Laravel's own queue commands and the connection "larder"; failed jobs go to a SQLite file.
 *   queue-app.php AUTOLOAD COMMAND... */

declare(strict_types=1);

namespace Larder\Tests\Laravel\App;

use Illuminate\Bus\BusServiceProvider;
use Illuminate\Bus\Queueable;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Config\Repository;
use Illuminate\Console\Application as Artisan;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Foundation\MaintenanceMode;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Database\DatabaseServiceProvider;
use Illuminate\Filesystem\FilesystemServiceProvider;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\FileBasedMaintenanceMode;
use Illuminate\Queue\Console\ListFailedCommand;
use Illuminate\Queue\Console\RetryCommand;
use Illuminate\Queue\Console\WorkCommand;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\QueueServiceProvider;
use Larder\Cache\VolatileStore;
use Larder\Laravel\LarderServiceProvider;
use Larder\Laravel\LarderStore;

error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
require $argv[1];
spl_autoload_register(static function (string $class): void { // Debian's autoloader does not know Larder
    $file = __DIR__ . '/../../src/' . strtr(substr($class, strlen('Larder')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Larder\\') && is_file($file)) {
        require $file;
    }
});

/* The text of a task says what it does:
 * - fail: throws while a file "fail" exists
 * - die: kills the worker in the first attempt
 * - until: is tried again until its time is over
 * - lose, lose-locks: removes the file of the queues, or of the locks
 * - slow: takes half a second
 *
 * While a file "wait" exists, a worker waits up to a minute for a job. */
final class Task implements ShouldQueue
{
    use InteractsWithQueue;
    use Queueable;

    public ?int $tries = null;
    public ?int $until = null;

    public function __construct(public string $text) {}

    public function retryUntil(): ?\DateTimeInterface
    {
        return $this->until !== null ? (new \DateTimeImmutable())->setTimestamp($this->until) : null;
    }

    public function backoff(): array
    {
        return [0, 0];
    }

    public function handle(): void
    {
        $folder = getcwd();
        file_put_contents("$folder/seen", "$this->text:{$this->attempts()} ", FILE_APPEND);
        if ($this->text === 'fail' && is_file("$folder/fail")) {
            throw new \RuntimeException('it failed');
        }
        if ($this->text === 'die' && $this->attempts() === 1) {
            posix_kill(getmypid(), SIGKILL);
        }
        if ($this->text === 'slow') {
            for ($end = microtime(true) + 0.5; microtime(true) < $end; usleep(10000)); // a signal ends usleep()
            touch("$folder/done");
        }
        if ($this->text === 'lose') {
            array_map(unlink(...), glob("$folder/larder-*/*-queue*") ?: []);
        }
        if ($this->text === 'lose-locks') {
            $lock = (new LarderStore(new VolatileStore('cache')))->lock('held', 60);
            $lock->get();
            array_map(unlink(...), glob("$folder/larder-*/*-pinned*") ?: []);
            for ($end = microtime(true) + 20; microtime(true) < $end; usleep(10000)) {
                $lock->get();
            }
        }
        if ($this->text === 'release' && $this->attempts() === 1) {
            $this->release(0);
        }
    }
}

$app = new Application((string) getcwd());
$app->instance('config', new Repository([
    'app' => ['key' => str_repeat('k', 32), 'cipher' => 'AES-256-CBC', 'env' => 'testing'],
    'cache' => ['default' => 'array', 'prefix' => 'app', 'stores' => ['array' => ['driver' => 'array']]],
    'database' => ['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => getcwd() . '/failed.sqlite', 'prefix' => '']]],
    'queue' => ['default' => 'larder', 'connections' => ['larder' => ['driver' => 'larder', 'queue' => 'default', 'block_for' => is_file('wait') ? 60 : 0.05], 'after' => ['driver' => 'larder', 'after_commit' => true]],
        'failed' => ['driver' => 'database-uuids', 'database' => 'sqlite', 'table' => 'failed_jobs']],
    'session' => ['driver' => 'array'],
]));
$app->bind(ExceptionHandler::class, fn() => new class implements ExceptionHandler {
    public function report(\Throwable $e): void
    {
        echo 'reported: ', $e->getMessage(), "\n";
    }
    public function shouldReport(\Throwable $e): bool
    {
        return false;
    }
    public function render($request, \Throwable $e): void {}
    public function renderForConsole($output, \Throwable $e): void
    {
        $output->writeln($e::class . ': ' . $e->getMessage());
    }
});
$app->bind(MaintenanceMode::class, FileBasedMaintenanceMode::class);
foreach ([FilesystemServiceProvider::class, CacheServiceProvider::class, DatabaseServiceProvider::class, BusServiceProvider::class, QueueServiceProvider::class, LarderServiceProvider::class] as $provider) {
    $app->register($provider);
}
\Illuminate\Support\Facades\Facade::setFacadeApplication($app);
if (!is_file('failed.sqlite')) {
    touch('failed.sqlite');
    $app->make('db')->connection()->getSchemaBuilder()->create('failed_jobs', function ($table): void {
        $table->id();
        $table->string('uuid')->unique();
        $table->text('connection');
        $table->text('queue');
        $table->longText('payload');
        $table->longText('exception');
        $table->timestamp('failed_at')->useCurrent();
    });
}
$queue = $app->make('queue')->connection('larder');
if ($argv[2] === 'push') { // arguments: TEXT TRIES DELAY UNTIL
    $task = new Task($argv[3]);
    $task->tries = isset($argv[4]) && $argv[4] !== '' ? (int) $argv[4] : null;
    $task->until = isset($argv[6]) ? (int) $argv[6] : null;
    isset($argv[5]) && $argv[5] !== '' ? $queue->later((int) $argv[5], $task) : $queue->push($task);
    exit;
}
if ($argv[2] === 'push-lost') { // pushes must throw after the store's file was removed
    $queue->pushRaw('{}');
    array_map(unlink(...), glob('larder-*/*-queue*') ?: []);
    try {
        for ($end = microtime(true) + 60; microtime(true) < $end; usleep(10000)) {
            $queue->pushRaw('{}');
        }
    } catch (\RuntimeException $e) {
        exit($e->getMessage());
    }
}
if ($argv[2] === 'transactions') { // prints the queue's size inside a transaction, after its rollback, and after the commit of another transaction
    [$after, $database] = [$app->make('queue')->connection('after'), $app->make('db')->connection()];
    $sizes = [];
    foreach (['rollBack', 'commit'] as $end) {
        $database->beginTransaction();
        $after->push(new Task('a'));
        $after->bulk([new Task('b')]);
        $sizes[] = $after->size();
        $database->$end();
        $sizes[] = $after->size();
    }
    exit(json_encode($sizes));
}
if ($argv[2] === 'counts') {
    exit(json_encode([$queue->size(), $queue->pendingSize(), $queue->delayedSize(), $queue->reservedSize(), count($app->make('queue.failer')->all())]));
}
$artisan = new Artisan($app, $app->make('events'), '1');
foreach ([new WorkCommand($app->make('queue.worker'), $app->make('cache.store')), new RetryCommand(), new ListFailedCommand()] as $command) {
    $artisan->add($command);
}
array_splice($_SERVER['argv'], 1, 1);
$artisan->run();
