<?php

declare(strict_types=1);

namespace Larder\Cache {
    function microtime(bool $float): float
    {
        \Larder\Tests\Cache\ClockStepsTest::$step += \Larder\Tests\Cache\ClockStepsTest::$more;
        return \microtime(true) + \Larder\Tests\Cache\ClockStepsTest::$step;
    }
}

namespace Larder\Cache\Tiered {
    function microtime(bool $float): float
    {
        return \Larder\Cache\microtime(true);
    }
}

namespace Larder\Tests\Cache {
    use Larder\Cache\ItemPool;
    use Larder\Cache\MemoryStore;
    use Larder\Cache\Tiered\Line;
    use PHPUnit\Framework\TestCase;

    /** Times to live and waits must not depend on the wall clock, which may be set. */
    final class ClockStepsTest extends TestCase
    {
        public static float $step = 0;
        public static float $more = 0; // seconds that each read of the clock adds to $step

        protected function tearDown(): void
        {
            self::$step = self::$more = 0;
        }

        public function testALifeInSecondsIsNotCutByAStep(): void
        {
            $pool = new ItemPool(new MemoryStore());
            $item = $pool->getItem('key')->set('value')->expiresAfter(100);
            $pool->saveDeferred($item);
            self::$step = 1000;
            self::assertTrue($pool->getItem('key')->isHit());
            self::assertTrue($pool->commit());
            self::assertSame('value', $pool->getItem('key')->get());
        }

        public function testALifeInSecondsIsNotProlongedByAStep(): void
        {
            $pool = new ItemPool(new MemoryStore());
            $item = $pool->getItem('key')->set('value')->expiresAfter(0);
            self::$step = -1000;
            self::assertTrue($pool->save($item));
            self::assertFalse($pool->getItem('key')->isHit());
        }

        public function testAPointInTimeFollowsTheClock(): void
        {
            $pool = new ItemPool(new MemoryStore());
            $item = $pool->getItem('key')->set('value')->expiresAt(new \DateTimeImmutable('+100 seconds'));
            $pool->saveDeferred($item);
            self::$step = 1000;
            self::assertFalse($pool->getItem('key')->isHit());
        }

        public function testAWaitForAServerIsNotCutByAStep(): void
        {
            class_exists(\Predis\Client::class) || self::markTestSkipped('predis/predis is missing');
            $path = sys_get_temp_dir() . '/larder-steps-' . getmypid();
            $server = stream_socket_server("unix://$path");
            \assert($server !== false);
            $pid = pcntl_fork();
            if ($pid === 0) {
                $client = stream_socket_accept($server);
                \assert($client !== false);
                while (!str_contains($sent = (string) fread($client, 8192), 'PING')) { // answer the commands that Predis sends before PING
                    fwrite($client, str_repeat("+OK\r\n", (int) preg_match_all('/^\*\d+\r$/m', $sent)));
                }
                usleep(300000);
                fwrite($client, "+PONG\r\n");
                fread($client, 1);
                posix_kill(getmypid(), SIGKILL);
            }
            $line = new Line("unix:$path", 300);
            $line->send('PING');
            self::$more = 1000;
            try {
                self::assertSame('PONG', $line->read());
            } finally {
                unset($line);
                pcntl_waitpid($pid, $status);
                unlink($path);
            }
        }
    }
}
