<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Cache\SessionHandler;
use Larder\Cache\VolatileStore;
use Larder\Symfony\LarderSessionHandler;
use Larder\Tests\Tiered\Hosts;
use Larder\Tests\Work\Php;
use PHPUnit\Framework\TestCase;

final class SessionHandlerTest extends TestCase
{
    /** After a request has made a new id, the browser may use this id even before the request writes the session. */
    public function testAnIdIsGoodInStrictModeAsSoonAsItIsGivenOut(): void
    {
        is_file(Hosts::autoload()) || $this->markTestSkipped('needs what Composer installs');
        $code = 'require "' . Hosts::autoload() . '";
            session_set_save_handler(new Larder\Cache\SessionHandler(new Larder\Cache\VolatileStore("sessions")), true);
            session_start();
            session_regenerate_id(true);
            $id = session_id();
            session_abort();
            session_start();
            echo session_id() === $id ? "the same id, " : "another id, ";
            session_abort();
            session_id("madeup");
            session_start();
            echo session_id() === "madeup" ? "the same id" : "another id";';
        $settings = ['-d', 'session.use_strict_mode=1', '-d', 'session.use_cookies=0', '-d', 'session.cache_limiter='];
        $this->assertSame('the same id, another id', (new Php())->run(...[...$settings, '-d', 'output_buffering=4096', '-r', $code]));
    }

    /** @return iterable<string, array{string, string}> the session's time to live in seconds, and the code that ends the session */
    public static function races(): iterable
    {
        $pass = 'usleep(60000);';
        yield 'destroyed' => ['1000', 'session_destroy();'];
        yield 'another id' => ['1000', 'session_regenerate_id(true); session_destroy();'];
        yield 'expired, then destroyed' => ['0.05', "$pass session_destroy();"];
        yield 'prolonged, then destroyed' => ['0.05', "\$store->touch(\$id, 1000); $pass session_destroy();"];
        yield 'shortened, then destroyed' => ['1000', "\$store->touch(\$id, 0.05); $pass session_destroy();"];
        yield 'shortened, then expired' => ['1000', "\$store->touch(\$id, 0.05); $pass session_abort();"];
    }

    /** @dataProvider races */
    #[\PHPUnit\Framework\Attributes\DataProvider('races')]
    public function testADestroyedIdIsRefusedInEachRace(string $life, string $end): void
    {
        is_file(Hosts::autoload()) || $this->markTestSkipped('needs what Composer installs');
        \function_exists('pcntl_fork') || $this->markTestSkipped('needs pcntl');
        $races = (int) getenv('RACES') ?: 20;
        $code = 'require "' . Hosts::autoload() . '";
            $store = new Larder\Cache\VolatileStore("sessions");
            session_set_save_handler(new Larder\Cache\SessionHandler($store), true);
            [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (($child = pcntl_fork()) === 0) {
                fclose($here);
                while (($id = fgets($there)) !== false) {
                    session_id($id = rtrim($id));
                    session_start();
                    $_SESSION["x"] = 1;
                    session_write_close();
                    fwrite($there, (str_contains((string) $store->get(session_id()), "x|i:1") ? "kept" : "lost") . "\n");
                }
                exit;
            }
            fclose($there);
            $back = $lost = 0;
            for ($i = 0; $i < ' . $races . '; $i++) {
                $id = "race$i";
                do {
                    $store->set($id, "user|i:1;", ' . $life . ');
                    session_id($id);
                    session_start();
                } while (session_id() !== $id && session_destroy());
                fwrite($here, "$id\n");
                usleep(mt_rand(0, 3000));
                ' . $end . '
                $lost += fgets($here) === "lost\n";
                session_id($id);
                session_start();
                $back += session_id() === $id;
                session_destroy();
            }
            fclose($here);
            pcntl_waitpid($child, $status);
            echo "$back back, $lost lost";';
        $settings = ['-d', 'session.use_strict_mode=1', '-d', 'session.use_cookies=0', '-d', 'session.cache_limiter=', '-d', 'session.gc_maxlifetime=1000'];
        $out = (new Php())->run(...[...$settings, '-d', 'output_buffering=4096', '-r', $code]);
        if (str_contains($end, 'destroy')) {
            $this->assertStringStartsWith('0 back, ', $out); // nothing may be stored under the id of a destroyed session
        } else {
            $this->assertStringEndsWith(', 0 lost', $out);
        }
    }

    /** updateTimestamp() must not prolong the life of the mark of a destroyed session. */
    public function testAnUnchangedSessionDoesNotChangeTheLifeOfAnEnd(): void
    {
        $store = new VolatileStore('sessions');
        $handler = new SessionHandler($store);
        foreach (['known', 'unknown'] as $id) {
            $store->set($id, 'user|i:1;', 1000);
            $handler->read($id);
            $store->set($id, false, 5); // another request destroys it
            if ($id === 'unknown') {
                $handler->close();
            }
            $this->assertTrue($handler->updateTimestamp($id, 'user|i:1;'));
            $this->assertSame($id === 'known' ? false : 'user|i:1;', $store->get($id));
            $this->assertSame($id === 'known', $store->pool()->keyInfo($id)?->ttl <= 5);
        }
        $handler->close();
    }

    /** session_create_id() calls validateId() for the new id. The handler must not forget the request's own session. */
    public function testADestroyedSessionStaysDestroyedIfItsRequestHasMadeAnId(): void
    {
        $store = new VolatileStore('sessions');
        $store->set('known', 'user|i:1;', 1000);
        $handler = new SessionHandler($store);
        $handler->read('known');
        $this->assertFalse($handler->validateId($handler->create_sid()));
        (new SessionHandler($store))->destroy('known');
        $this->assertTrue($handler->write('known', 'user|i:2;'));
        $this->assertFalse($store->get('known'));
        $handler->close();
        $this->assertFalse($handler->validateId('known'));
    }

    /** Symfony's own handlers leave nothing in the store for a visitor without data. */
    public function testSymfonysHandlerKeepsNoEmptySession(): void
    {
        $store = new VolatileStore('sessions');
        $handler = new LarderSessionHandler($store);
        $this->assertSame([false, ''], [$handler->validateId('new'), $handler->read('new')]);
        $this->assertTrue($handler->updateTimestamp('new', '') && $handler->close()); // PHP calls these methods for an unchanged session
        $this->assertNull($store->get('new'));
        foreach (['', ...(\function_exists('igbinary_serialize') ? [igbinary_serialize([])] : [])] as $empty) {
            $store->set('known', 'user|i:1;');
            $waiting = new LarderSessionHandler($store);
            $this->assertTrue($handler->validateId('known') && $handler->read('known') === 'user|i:1;' && $waiting->validateId('known'));
            $this->assertTrue($handler->write('known', $empty) && $handler->close());
            $this->assertNull($store->get('known'));
            $this->assertSame('', $waiting->read('known'));
            $this->assertTrue($waiting->write('known', 'user|i:2;') && $waiting->close());
            $this->assertSame('user|i:2;', $store->get('known'), 'the session was emptied, not destroyed');
        }
        $this->assertSame('user|i:2;', $handler->read('known'));
        (new LarderSessionHandler($store))->destroy('known');
        $this->assertTrue($handler->write('known', '') && $handler->close());
        $this->assertFalse($store->get('known'), 'the end of a destroyed session stays');
    }

    /** @return iterable<string, array{string}> the expression that makes a handler for $store */
    public static function handlers(): iterable
    {
        yield 'by itself' => ['new Larder\Cache\SessionHandler($store)'];
        yield "as in Symfony's storage" => ['new Symfony\Component\HttpFoundation\Session\Storage\Proxy\SessionHandlerProxy(new Larder\Symfony\LarderSessionHandler($store))'];
    }

    /**
     * A session must stay if a fatal error, for example memory_limit, ends a request that decodes it.
     *
     * @dataProvider handlers
     */
    #[\PHPUnit\Framework\Attributes\DataProvider('handlers')]
    public function testASessionStaysWhereAFatalErrorEndsItsDecoding(string $handler): void
    {
        is_file(Hosts::autoload()) || $this->markTestSkipped('needs what Composer installs');
        getenv('USE_ZEND_ALLOC') !== '0' || $this->markTestSkipped('there is no memory_limit without the memory manager of PHP');
        $php = new Php();
        $start = 'require "' . Hosts::autoload() . '";
            $store = new Larder\Cache\VolatileStore("sessions");
            session_set_save_handler(' . $handler . ', true);
            session_id("large");
            session_start();';
        $settings = ['-d', 'session.use_cookies=0', '-d', 'session.cache_limiter=', '-d', 'output_buffering=4096'];
        $php->run(...[...$settings, '-r', $start . '$_SESSION = ["first" => 1, "many" => range(1, 300000), "last" => 1];']);
        $limited = $php->run(...[...$settings, '-r', 'ini_set("memory_limit", memory_get_usage(true) + 9000000);' . $start . 'echo "decoded";']);
        $this->assertStringContainsString('Allowed memory size', $limited);
        $broken = $php->run(...[...$settings, '-r', 'class C { function __unserialize(array $data): void { eval("break;"); } } ' . strtr($start, ['session_start();' => '$store->set("broken", \'first|i:1;c|O:1:"C":0:{}last|i:1;\'); session_id("broken"); session_start(); echo "decoded";'])]);
        $this->assertStringContainsString("'break' not in", $broken);
        $this->assertStringContainsString('last|i:1;', $php->run('-r', 'require "' . Hosts::autoload() . '"; echo (new Larder\Cache\VolatileStore("sessions"))->get("broken");'));
        $this->assertSame('first many last', $php->run(...[...$settings, '-r', $start . 'echo implode(" ", array_keys($_SESSION));']));
    }
}
