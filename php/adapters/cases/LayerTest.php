<?php

use PHPUnit\Framework\TestCase;

/** Checks that the other cases run on the intended implementation. */
final class LayerTest extends TestCase
{
    public function testTheFunctionsAreThoseOfTheLayer(): void
    {
        ob_start();
        (new ReflectionExtension('apcu'))->info();
        $larder = str_contains(ob_get_clean(), 'by Larder');
        $this->assertSame(getenv('LARDER_ADAPTERS_ON') !== 'apcu', $larder);
        $this->assertSame($larder, extension_loaded('larder'));
        $this->assertSame('apcu', (new ReflectionFunction('apcu_store'))->getExtensionName());
        $this->assertTrue(extension_loaded('apcu') && apcu_enabled());
    }
}
