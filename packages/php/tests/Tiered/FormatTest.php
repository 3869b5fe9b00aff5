<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\Format;
use Larder\Cache\Tiered\TieredStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests that a program that can write to the server cannot make this process create objects. */
final class FormatTest extends TestCase
{
    private const SECRET = 'sixteen bytes or more';

    public static function hostile(): \Generator
    {
        $gadget = 'O:' . \strlen(Gadget::class) . ':"' . Gadget::class . '":1:{s:4:"file";s:4:"here";}';
        foreach (['bare' => $gadget, 'in an array' => "a:1:{i:0;$gadget}", 'in stdClass' => "O:8:\"stdClass\":1:{s:1:\"a\";$gadget}"] as $name => $text) {
            yield $name => ["\x01$text"];
            yield "$name, said to be signed" => ["\x03" . str_repeat("\0", 32) . "\x01$text"];
            yield "$name, signed with nothing" => ["\x03" . hash_hmac('sha256', "\x01$text", '', true) . "\x01$text"];
        }
        yield 'an enum' => ["\x01E:24:\"Larder\\Cache\\Missing:Value\";"];
        yield 'an array in itself' => ["\x01a:2:{i:0;R:1;i:1;R:1;}"];
        if (\function_exists('igbinary_serialize')) {
            yield 'igbinary' => ["\x02" . \igbinary_serialize(new \ArrayObject([1]))];
        }
        yield 'too short' => ["\x03"];
    }

    #[DataProvider('hostile')]
    public function testWhatOthersWroteNeverBecomesAnObject(string $bytes): void
    {
        Gadget::$ran = [];
        foreach ([null, self::SECRET] as $secret) {
            $server = new ArrayServer();
            $server->write(['h:key' => $bytes], 0);
            $store = new TieredStore($server, 'hostile', 'h:', secret: $secret);
            $this->assertSame('a miss', $store->get('key', 'a miss'), var_export($bytes, true));
        }
        gc_collect_cycles();
        $this->assertSame([], Gadget::$ran);
    }

    public function testWhatAHolderOfTheSecretWroteComesBackUnderItsNameOnly(): void
    {
        $server = new ArrayServer();
        $store = new TieredStore($server, 'signed', 's:', secret: self::SECRET);
        $values = ['object' => new \ArrayObject([1]), 'array' => [1, ['a' => null]], 'digits' => '12', 'bytes' => "\x03x", 'false' => false, 'null' => null, 'int' => 5, 'string' => 'text'];
        foreach ($values as $key => $value) {
            $this->assertTrue($store->set($key, $value));
            $this->assertEquals($value, $store->get($key, 'a miss'), $key);
        }
        $bytes = $server->read(['s:object'])['s:object'][0];
        $server->write(['s:other' => $bytes, 's:object' => substr_replace($bytes, '2', -4, 1)], 0);
        $this->assertSame(['a miss', 'a miss'], [$store->get('other', 'a miss'), $store->get('object', 'a miss')]);
        $server->write(['s:object' => $bytes], 0);
        $this->assertSame('a miss', (new TieredStore($server, 'signed', 's:', secret: 'another secret of others'))->get('object', 'a miss'));
        $this->assertSame('a miss', (new TieredStore($server, 'signed', 's:'))->get('object', 'a miss'));
        // With a secret, a store unserializes only values that are signed with it.
        $server->write(['s:array' => "\x01a:0:{}"], 0);
        $this->assertSame('a miss', $store->get('array', 'a miss'));
    }

    public function testWithoutASecretObjectsAreRefusedWhereTheyAreWritten(): void
    {
        $store = new TieredStore(new ArrayServer(), 'plain', 'p:');
        $row = (object) ['ID' => 7, 'meta' => ['a' => (object) []]];
        $this->assertTrue($store->set('row', [$row]));
        $this->assertEquals([$row], $store->get('row'));
        $this->expectException(\TypeError::class);
        $this->expectExceptionMessage('needs a TieredStore with a secret');
        $store->set('object', ['deep' => [new \ArrayObject()]]);
    }

    public function testASecretIsNotShort(): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('The secret must have at least 16 bytes, 5 given');
        new TieredStore(new ArrayServer(), 'plain', 'p:', secret: 'short');
    }

    public function testTheFormatIsAsDocumented(): void
    {
        $format = new Format(self::SECRET, false);
        $text = "\x01a:1:{i:0;i:1;}";
        $key = hash_hmac('sha256', 'larder tier 1', self::SECRET, true);
        $this->assertSame("\x03" . hash_hmac('sha256', pack('J', 3) . 'p:k' . $text, $key, true) . $text, $format->encode([1], 'p:k'));
    }
}

final class Gadget
{
    /** @var list<string> */
    public static array $ran = [];
    public string $file = '';

    public function __wakeup(): void
    {
        self::$ran[] = 'wakeup';
    }

    public function __destruct()
    {
        self::$ran[] = "destruct $this->file";
    }
}
