<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\Tier;
use Larder\Cache\Tiered\TieredStore;
use Larder\Tests\Cache\Fussy;
use Larder\Tests\Cache\Values;
use PHPUnit\Framework\TestCase;

/** Tests local entries whose class is gone or has changed, as after a deployment. */
final class ClassesTest extends TestCase
{
    public function testWhatCannotBeReadHereIsReadFromTheServerOnce(): void
    {
        $server = new ArrayServer();
        $store = new TieredStore($server, 'classes', 'c:');
        $local = Tier::pool('classes', 'c:');
        $local->begin(60);
        $local->set(Tier::UP, 1);
        $store->set('a', 'of the server');
        $store->set('b', 'of the server, too');
        $pid = pcntl_fork();
        if ($pid === 0) { // the child has the classes from before the deployment
            eval('class ClassThatIsGone {}');
            $local->setMultiple(['a' => new \ClassThatIsGone(), 'b' => [new \ClassThatIsGone()]]);
            posix_kill(posix_getpid(), SIGKILL);
        }
        pcntl_waitpid($pid, $status);
        $this->assertTrue($local->keyInfo('a') !== null && $local->keyInfo('b') !== null);
        $server->calls = 0;
        for ($i = 0; $i < 3; $i++) {
            $this->assertSame('of the server', $store->get('a'));
            $this->assertSame(['b' => 'of the server, too'], $store->getMultiple(['b']));
        }
        $this->assertSame(2, $server->calls);
        $local->clear();
    }

    public function testWhatTheServerHasDoesNotDependOnWhatIsHere(): void
    {
        $store = new TieredStore(new ArrayServer(), 'classes', 'c:');
        $local = Tier::pool('classes', 'c:');
        $local->begin(60);
        $store->set('a', 'of the server');
        class_exists(Values::class); // its file also defines the class Fussy
        $local->set('a', new Fussy());
        $this->assertSame('of the server', $store->fresh('a'));
        $local->clear();
    }
}
