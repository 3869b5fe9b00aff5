<?php

/* A console application with Messenger's own commands and two transports, "jobs" and "more". Failed messages of "jobs" go to "failed".
 *   messenger-app.php AUTOLOAD COMMAND... */

declare(strict_types=1);

namespace Larder\Tests\Symfony\App;

use Larder\Symfony\LarderTransportFactory;
use Symfony\Component\Console\Application;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\Messenger\Command\ConsumeMessagesCommand;
use Symfony\Component\Messenger\Command\FailedMessagesRemoveCommand;
use Symfony\Component\Messenger\Command\FailedMessagesRetryCommand;
use Symfony\Component\Messenger\Command\FailedMessagesShowCommand;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\EventListener\AddErrorDetailsStampListener;
use Symfony\Component\Messenger\EventListener\SendFailedMessageForRetryListener;
use Symfony\Component\Messenger\EventListener\SendFailedMessageToFailureTransportListener;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Middleware\SendMessageMiddleware;
use Symfony\Component\Messenger\Retry\MultiplierRetryStrategy;
use Symfony\Component\Messenger\RoutableMessageBus;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Transport\Sender\SendersLocator;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;
use Symfony\Contracts\Service\ServiceLocatorTrait;
use Symfony\Contracts\Service\ServiceProviderInterface;

require $argv[1];
require_once __DIR__ . '/../../src/Cache/Store.php';
require_once __DIR__ . '/../../src/Cache/PinnedStore.php';
require_once __DIR__ . '/../../src/Cache/Exception/QueuesUnusable.php';
foreach (['LarderTransport', 'LarderReceivedStamp', 'LarderPriorityStamp', 'LarderTransportFactory'] as $class) {
    require_once __DIR__ . "/../../src/Symfony/$class.php";
}
if (interface_exists(\Symfony\Component\Messenger\Transport\Receiver\KeepaliveReceiverInterface::class)) {
    require_once __DIR__ . '/../../src/Symfony/LarderKeepaliveTransport.php';
}

final class Task
{
    public function __construct(public readonly string $text) {}
}

final class Locator implements ServiceProviderInterface
{
    use ServiceLocatorTrait;
}

/* The text of a task says what it does: "fail" throws while a file "fail" exists, "die" kills the worker in the first attempt, "slow" lasts
 * a while. While a file "wait" exists, a worker waits up to a minute for a message. */
$handle = function (Task $task): void {
    $folder = getcwd();
    if (str_starts_with($task->text, 'fail') && is_file("$folder/fail")) {
        file_put_contents("$folder/seen", "($task->text) ", FILE_APPEND);
        throw new \RuntimeException("$task->text failed");
    }
    if ($task->text === 'die' && !is_file("$folder/died")) {
        touch("$folder/died");
        posix_kill(getmypid(), SIGKILL);
    }
    if ($task->text === 'slow') {
        touch("$folder/begun");
        for ($end = microtime(true) + 0.5; microtime(true) < $end; usleep(10000)); // a signal ends usleep()
    }
    file_put_contents("$folder/seen", "$task->text ", FILE_APPEND);
};
$factory = new LarderTransportFactory();
$locator = fn(array $services) => new Locator(array_map(fn($service) => fn() => $service, $services));
$wait = is_file('wait') ? 60 : 0.05;
$jobs = $factory->createTransport("larder://jobs?wait=$wait", ['transport_name' => 'jobs'], new PhpSerializer());
$more = $factory->createTransport("larder://more?wait=$wait", [], new PhpSerializer());
$failed = $factory->createTransport('larder://failed', [], new PhpSerializer());
$transports = $locator(['jobs' => $jobs, 'more' => $more, 'failed' => $failed]);
$bus = new MessageBus([
    new SendMessageMiddleware(new SendersLocator([Task::class => ['jobs']], $transports)),
    new HandleMessageMiddleware(new HandlersLocator([Task::class => [$handle]])),
]);
$routable = new RoutableMessageBus($locator(['bus' => $bus]), $bus);
$events = new EventDispatcher();
$events->addSubscriber(new AddErrorDetailsStampListener());
$events->addSubscriber(new SendFailedMessageForRetryListener($transports, $locator(['jobs' => new MultiplierRetryStrategy(2, 20, 1)])));
$events->addSubscriber(new SendFailedMessageToFailureTransportListener($locator(['jobs' => $failed, 'failed' => $failed])));
foreach (['StopWorkerOnSigtermSignalListener', 'DispatchPcntlSignalListener'] as $listener) { // since Messenger 6.3, the command itself listens for signals
    $class = "Symfony\\Component\\Messenger\\EventListener\\$listener";
    class_exists($class) && $events->addSubscriber(new $class());
}

if ($argv[2] === 'send') { // arguments: TEXT DELAY-MS
    $bus->dispatch(new Envelope(new Task($argv[3]), isset($argv[4]) ? [new DelayStamp((int) $argv[4])] : []));
    exit;
}
if ($argv[2] === 'send-lost') { // sends must fail after the store's file was removed
    $jobs->send(new Envelope(new Task('x')));
    array_map(unlink(...), glob('larder-*/*-queue*') ?: []);
    try {
        for ($end = microtime(true) + 60; microtime(true) < $end; usleep(10000)) {
            $jobs->send(new Envelope(new Task('x')));
        }
    } catch (\Symfony\Component\Messenger\Exception\TransportException $e) {
        exit($e->getMessage());
    }
}
if ($argv[2] === 'counts') {
    $texts = array_map(fn($e) => $e->getMessage()->text, [...$failed->all()]);
    sort($texts); // all() has no order
    exit(json_encode([$jobs->getMessageCount(), $failed->getMessageCount(), $texts]));
}
$application = new Application();
foreach ([
    new ConsumeMessagesCommand($routable, $transports, $events, null, ['jobs']),
    new FailedMessagesRetryCommand('failed', $locator(['failed' => $failed]), $bus, $events),
    new FailedMessagesShowCommand('failed', $locator(['failed' => $failed])),
    new FailedMessagesRemoveCommand('failed', $locator(['failed' => $failed])),
] as $command) {
    method_exists($application, 'addCommand') ? $application->addCommand($command) : $application->add($command);
}
array_splice($_SERVER['argv'], 1, 1);
$application->run();
