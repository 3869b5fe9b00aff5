<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Tests\Tiered\Hosts;
use Larder\Tests\Work\Php;
use PHPUnit\Framework\TestCase;

final class SessionHandlerTest extends TestCase
{
    /** The browser may be back with it before the request that made it has written. */
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
}
