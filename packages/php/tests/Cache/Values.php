<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

enum Suit: string
{
    case Hearts = 'h';
    case Spades = 's';
}

final class Point
{
    public function __construct(public int $x, protected mixed $y = null) {}
}

final class Tight
{
    public function __construct(public readonly \DateTimeImmutable $at, private array $list) {}
}

final class Fussy
{
    public bool $fails = true;

    public function __unserialize(array $data): void
    {
        throw new \RuntimeException('Fussy does not want to come back');
    }

    public function __serialize(): array
    {
        return [];
    }
}

/** An object of an earlier release, which the hook of the current release cannot restore. */
final class Outdated
{
    public const THROWN = [\RuntimeException::class, \Error::class, \TypeError::class, \ValueError::class];

    /** @param class-string<\Throwable> $thrown the class of the exception that the hook throws */
    public function __construct(private string $thrown) {}

    /** @return array{class-string<\Throwable>} */
    public function __serialize(): array
    {
        return [$this->thrown];
    }

    /** @param array{class-string<\Throwable>} $data */
    public function __unserialize(array $data): void
    {
        throw new $data[0]('Outdated is from an earlier release');
    }
}

final class Values
{
    /** @return iterable<string, array{mixed}> */
    public static function all(): iterable
    {
        yield 'null' => [null];
        yield 'false' => [false];
        yield 'int' => [PHP_INT_MIN];
        yield 'float' => [-0.0];
        yield 'infinite' => [INF];
        yield 'empty text' => [''];
        yield 'binary text' => ["\0\xff{}()/\\@:"];
        yield 'long text' => [str_repeat('long', 50000)];
        yield 'empty array' => [[]];
        yield 'nested array' => [['a' => [1, 2, ['b' => null]], 7 => 'seven', '' => "\0"]];
        yield 'list of 1000' => [range(1, 1000)];
        yield 'what looks like an envelope' => [[\Larder\Cache\Envelope::MARK, 1, ['@x' => 2], []]];
        yield 'enum' => [Suit::Spades];
        yield 'object' => [new Point(1, new Point(2))];
        yield 'standard object' => [(object) ['a' => 1, 'b' => [(object) []]]];
        yield 'date' => [new \DateTimeImmutable('2026-01-02 03:04:05.678', new \DateTimeZone('Europe/Berlin'))];
        yield 'readonly properties' => [new Tight(new \DateTimeImmutable('2000-01-01'), [Suit::Hearts])];
        yield 'array object' => [new \ArrayObject(['x' => new Point(3)])];
    }

    /** @return iterable<string, array{mixed}> */
    public static function unstorable(): iterable
    {
        yield 'closure' => [static fn(): int => 1];
        yield 'closure in an array' => [['a' => [static fn(): int => 1]]];
        yield 'resource' => [STDIN];
        $closed = fopen('php://memory', 'r');
        \assert($closed !== false);
        fclose($closed);
        yield 'closed resource' => [$closed];
        yield 'resource in an array' => [['a' => [1, [STDIN]]]];
        yield 'resource in an object' => [[new \ArrayObject([1]), (object) ['a' => [(object) ['b' => STDIN]]]]];
        yield 'generator' => [(static function () {
            yield 1;
        })()];
        yield 'anonymous class' => [new class {}];
    }
}
