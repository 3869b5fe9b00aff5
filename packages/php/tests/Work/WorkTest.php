<?php

declare(strict_types=1);

namespace Larder\Tests\Work;

use Larder\Tests\Tiered\Hosts;
use PHPUnit\Framework\TestCase;

/** Tests larder-work as it is started from a shell. */
final class WorkTest extends TestCase
{
    private const PROGRAM = __DIR__ . '/../../bin/larder-work';

    private Php $php;
    /** @var resource|null */
    private $worker;

    protected function setUp(): void
    {
        $this->php = new Php();
    }

    protected function tearDown(): void
    {
        if (\is_resource($this->worker)) {
            posix_kill(Php::pid($this->worker), \SIGTERM);
            proc_close($this->worker);
        }
        $this->worker = null;
    }

    private function handler(string $body): string
    {
        return $this->php->file('handler.php', "<?php return function (\$body, \$message) { $body };");
    }

    private function work(string ...$options): int
    {
        $this->worker = $this->php->start($this->php->folder . '/log', self::PROGRAM, 'work', $this->php->folder . '/handler.php', ...$options);
        return Php::pid($this->worker);
    }

    private function said(): string
    {
        return (string) file_get_contents($this->php->folder . '/log');
    }

    private function acked(int $count): bool
    {
        return Php::wait(fn() => (int) $this->php->code('echo $q->info()->acked;') >= $count);
    }

    public function testHandlesAndAcknowledges(): void
    {
        $this->handler('file_put_contents(__DIR__ . "/seen", "$body\n", FILE_APPEND | LOCK_EX);');
        $this->php->code('$q->pushMany(range(1, 200));');
        $pid = $this->work('--processes=3');
        self::assertTrue($this->acked(200), $this->said());
        self::assertTrue(Php::wait(fn() => \count(Php::children($pid)) === 3), $this->said());
        $seen = file($this->php->folder . '/seen', \FILE_IGNORE_NEW_LINES) ?: [];
        sort($seen, \SORT_NUMERIC);
        self::assertSame(array_map('strval', range(1, 200)), $seen);
    }

    public function testStopsAfterTheMessageThatIsBeingHandled(): void
    {
        $this->handler('$stop = pcntl_signal_get_handler(SIGTERM);
            pcntl_signal(SIGTERM, function (int $signal) use ($stop) { $stop($signal); touch(__DIR__ . "/told"); });
            touch(__DIR__ . "/begun");
            while (!is_file(__DIR__ . "/told")) usleep(1000);
            touch(__DIR__ . "/done");');
        $this->php->code('$q->pushMany([1, 2]);');
        $pid = $this->work();
        self::assertTrue(Php::wait(fn() => is_file($this->php->folder . '/begun')), $this->said());
        posix_kill($pid, \SIGTERM);
        self::assertTrue(Php::wait(fn() => !proc_get_status($this->worker)['running']));
        self::assertFileExists($this->php->folder . '/done');
        self::assertSame('[1,1,0]', $this->php->code('$i = $q->info(); echo json_encode([$i->acked, $i->ready, $i->reserved]);'));
    }

    public function testTriesAgainAndThenGivesUp(): void
    {
        $this->handler('file_put_contents(__DIR__ . "/tried", $message->attempts, FILE_APPEND); throw new Exception("bad $body");');
        $this->php->code('$q->push("one");');
        $this->work('--tries=3', '--dead=dead');
        self::assertTrue(Php::wait(fn() => $this->php->code('echo Queue::open("dead")->info()->ready;') === '1'), $this->said());
        self::assertTrue($this->acked(1));
        self::assertSame('123', file_get_contents($this->php->folder . '/tried'));
        $dead = json_decode($this->php->code('echo json_encode(Queue::open("dead")->peek()->body);'), true);
        self::assertSame(['work', 3, 'Exception: bad one', 'one'], [$dead['queue'], $dead['attempts'], $dead['error'], $dead['body']]);
        self::assertStringContainsString('attempt 1: Exception: bad one', $this->said());
    }

    public function testNoMessageOfAnExceptionCommandsTheTerminalOrForgesALine(): void
    {
        $this->handler('throw new Exception("red \e[31m\n[2030-01-01] forged \u{202e} \xff");');
        $this->php->code('$q->push("one");');
        $this->work('--tries=1');
        self::assertTrue(Php::wait(fn() => $this->php->code('echo $q->info()->buried;') === '1'), $this->said());
        self::assertTrue(Php::wait(fn() => str_contains($this->said(), 'forged')));
        self::assertStringContainsString('Exception: red \x1b[31m\x0a[2030-01-01] forged \xe2\x80\xae \xff', $this->said());
        self::assertDoesNotMatchRegularExpression('/[^\n\x20-\x7e]/', $this->said());
    }

    public function testBuriesWithoutAQueueOfTheDead(): void
    {
        $this->handler('throw new Error("no");');
        $this->php->code('$q->push("one");');
        $this->work('--tries=1');
        self::assertTrue(Php::wait(fn() => $this->php->code('echo $q->info()->buried;') === '1'), $this->said());
    }

    public function testAKilledProcessIsReplacedAndItsMessageHandledAgain(): void
    {
        $this->handler('if ($message->attempts === 1) posix_kill(getmypid(), SIGKILL); file_put_contents(__DIR__ . "/seen", "$body:$message->attempts");');
        $this->php->code('$q->push("precious");');
        $this->work();
        self::assertTrue($this->acked(1), $this->said());
        self::assertSame('precious:2', file_get_contents($this->php->folder . '/seen'));
        self::assertStringContainsString('was killed by signal 9', $this->said());
    }

    public function testAMessageThatKillsIsPutAside(): void
    {
        $this->handler('posix_kill(getmypid(), SIGKILL);');
        $this->php->code('$q->push("poison"); ');
        $this->work('--tries=2');
        self::assertTrue(Php::wait(fn() => $this->php->code('echo $q->info()->buried;') === '1'), $this->said());
        self::assertStringContainsString('its worker died', $this->said());
    }

    public function testAHandlerThatExitsIsSaidAndNotRunAllTheTime(): void
    {
        $this->handler('register_shutdown_function(function () { echo "later\n"; }); if ($body === "done") $message->ack(); exit;');
        $this->php->code('$q->pushMany(["done", "bad"]);');
        $this->work('--once', '--tries=2');
        self::assertTrue(Php::wait(fn() => !proc_get_status($this->worker)['running']), $this->said());
        self::assertSame('[1,1]', $this->php->code('echo json_encode([$q->info()->acked, $q->info()->buried]);'));
        self::assertSame(2, substr_count($this->said(), 'its handler called exit()'), $this->said());
        self::assertSame(3, substr_count($this->said(), 'later'));
        self::assertStringContainsString('failed after 2 attempts: its worker died, gave it back or took too long', $this->said());
        self::assertStringContainsString('ended with 1', $this->said());
    }

    public function testABodyThatCannotGoToTheDeadIsBuried(): void
    {
        $this->handler('$body->now = fn() => 1; throw new Exception("bad");');
        $this->php->code('$q->pushMany([(object) [1], (object) [2]]);');
        $this->work('--once', '--tries=1', '--dead=dead');
        self::assertTrue(Php::wait(fn() => !proc_get_status($this->worker)['running']), $this->said());
        self::assertSame('[2,0]', $this->php->code('echo json_encode([$q->info()->buried, Queue::open("dead")->info()->ready]);'), $this->said());
        self::assertStringContainsString('is buried, not in dead: TypeError', $this->said());
    }

    public function testProcessesEndWithTheirSupervisor(): void
    {
        $this->handler('');
        $pid = $this->work('--processes=2');
        self::assertTrue(Php::wait(fn() => \count(Php::children($pid)) === 2), $this->said());
        $children = Php::children($pid);
        posix_kill($pid, \SIGKILL);
        self::assertTrue(Php::wait(fn() => array_filter($children, fn(int $child) => preg_match('/\) [^ZX]/', (string) @file_get_contents("/proc/$child/stat"))) === []));
    }

    public function testReplacesProcessesThatTookTooMuch(): void
    {
        $this->handler('static $kept = []; $kept[] = str_repeat("x", 8 << 20); file_put_contents(__DIR__ . "/pids", getmypid() . "\n", FILE_APPEND);');
        $this->php->code('$q->pushMany(range(1, 9));');
        $this->work('--memory=24M');
        self::assertTrue($this->acked(9), $this->said());
        self::assertGreaterThan(2, \count(array_unique(file($this->php->folder . '/pids') ?: [])));
    }

    public function testHangupLoadsTheHandlerAnew(): void
    {
        $this->handler('file_put_contents(__DIR__ . "/seen", "old ", FILE_APPEND);');
        $pid = $this->work('--processes=2');
        $this->php->code('$q->push(1);');
        self::assertTrue($this->acked(1), $this->said());
        $before = Php::children($pid);
        $this->handler('file_put_contents(__DIR__ . "/seen", "new ", FILE_APPEND);');
        posix_kill($pid, \SIGHUP);
        self::assertTrue(Php::wait(fn() => \count(Php::children($pid)) === 2 && !array_intersect($before, Php::children($pid))), $this->said());
        $this->php->code('$q->push(2);');
        self::assertTrue($this->acked(2), $this->said());
        self::assertSame('old new ', file_get_contents($this->php->folder . '/seen'));
    }

    public function testOnceEndsWhenTheQueueIsEmpty(): void
    {
        $this->handler('');
        $this->php->code('$q->pushMany(range(1, 20));');
        $this->work('--once', '--processes=2');
        self::assertTrue(Php::wait(fn() => !proc_get_status($this->worker)['running']));
        self::assertSame('20', $this->php->code('echo $q->info()->acked;'));
    }

    public function testOnceGoesOnWhereAProcessEnded(): void
    {
        $this->handler('if ($message->attempts === 1) { if ($body === "exit") exit(0); if ($body === "die") posix_kill(getmypid(), SIGKILL); }');
        $this->php->code('$q->pushMany(["exit", "die", 3, 4]);');
        $this->work('--once', '--messages=1');
        self::assertTrue(Php::wait(fn() => !proc_get_status($this->worker)['running']), $this->said());
        self::assertSame('[4,0]', $this->php->code('echo json_encode([$q->info()->acked, $q->info()->ready]);'), $this->said());
    }

    public function testOnceEndsWhereNothingCanBeHandled(): void
    {
        $this->php->file('handler.php', '<?php return 1;');
        $this->php->code('$q->push(1);');
        $this->work('--once', '--processes=2');
        self::assertTrue(Php::wait(fn() => !proc_get_status($this->worker)['running']));
        self::assertStringContainsString('returns no callable', $this->said());
    }

    public function testABodyThatCannotBeRestoredStopsNobody(): void
    {
        $this->handler('file_put_contents(__DIR__ . "/pid$body", getmypid());');
        $this->php->code('class Gone { public $x = 1; } $q->push(1); $q->pushMany([new Gone, new Gone]); $q->push(2);');
        $this->work();
        self::assertTrue($this->acked(2), $this->said());
        self::assertFileEquals($this->php->folder . '/pid1', $this->php->folder . '/pid2');
        self::assertSame('2', $this->php->code('echo $q->info()->buried;'));
        self::assertStringContainsString('a message was buried: Larder\\StaticCacheException: Message', $this->said());
    }

    public function testOpensAStoreAnewWhoseFileIsGone(): void
    {
        $this->handler('file_put_contents(__DIR__ . "/seen", $body);');
        $this->php->code('$q->push("before");');
        $this->work();
        self::assertTrue($this->acked(1), $this->said());
        array_map('unlink', glob($this->php->folder . '/larder-*/test-queue*') ?: []);
        $this->php->code('$q->push("after");');
        self::assertTrue($this->acked(1), $this->said());
        self::assertStringEqualsFile($this->php->folder . '/seen', 'after');
    }

    public function testSaysOnceThatNobodyElseCanPush(): void
    {
        $this->handler('');
        $run = fn(string ...$settings): string => $this->php->run(...$settings, ...[self::PROGRAM, 'work', $this->php->folder . '/handler.php', '--once', '--processes=2']);
        self::assertSame(1, substr_count($run('-d', 'larder.path=', '-d', 'larder.scope='), 'is anonymous: no other process can push to it'));
        self::assertSame('', $run());
        self::assertSame('', $run('-d', 'larder.scope='));
    }

    /** In build/lib, the package is a symbolic link to a folder outside of vendor. The programs must still find Composer's autoloader. */
    public function testComposersProgramsHaveItsAutoloader(): void
    {
        $vendor = \dirname(Hosts::autoload());
        is_file("$vendor/bin/larder-work") || $this->markTestSkipped('needs what Composer installs');
        putenv('LARDER_AUTOLOAD');
        self::assertStringContainsString('no larder-sync of the tier "x" runs on this host', $this->php->run("$vendor/bin/larder-sync", '--name=x', '--status'));
        $this->handler('file_put_contents(__DIR__ . "/seen", class_exists(Predis\Client::class) ? "there" : "missing");');
        $this->php->code('$q->push(1);');
        $this->php->run("$vendor/bin/larder-work", 'work', $this->php->folder . '/handler.php', '--once');
        self::assertSame('there', file_get_contents($this->php->folder . '/seen'));
    }

    public function testSaysWhatIsWrong(): void
    {
        $this->handler('');
        $handler = $this->php->folder . '/handler.php';
        foreach ([[[], 'usage: larder-work'], [['work', '/nowhere.php'], 'there is no such file'], [['work', $handler, '--processes=0'], '--processes must be a number from 1 on'],
            [['work', $handler, '--processes'], '--processes needs a value'], [['work', $handler, '--dead', '--once'], '--dead needs a value'],
            [['work', $handler, '--dead='], 'has 1 to 200 bytes'], [['', $handler], 'has 1 to 200 bytes'], [['work', $handler, '--dead=work'], '--dead must be another queue'],
            [['work', $handler, '--memory=999999999999G'], '--memory must be a number of bytes'], [['work', $handler, '--memory=1GB'], '--memory must be a number of bytes, with K, M or G behind it as in 256M'], [['work', $handler, '--once=3'], '--once takes no value'], [['-h'], 'usage: larder-work'],
            [['work', $handler, '--delay=soon'], '--delay must be a number of seconds'], [['work', $handler, '--speed=9'], '--speed is no option']] as [$arguments, $text]) {
            self::assertStringContainsString($text, $this->php->run(self::PROGRAM, ...$arguments));
        }
    }
}
