<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Thrown for a value that cannot be stored. Each level that this exception passes adds a step to the path in the message. */
final class Refused extends \Exception
{
    private const STEPS = 32;

    /** @var list<string> the innermost first */
    private array $steps = [];

    /** @param class-string<\Error> $error */
    public function __construct(private readonly string $what, private readonly string $error = \TypeError::class)
    {
        parent::__construct($what);
    }

    public function at(string $step): self
    {
        $this->steps[] = $step;
        return $this;
    }

    /** Puts the path of $outer before the path of this exception. */
    public function under(?self $outer): self
    {
        array_push($this->steps, ...$outer->steps ?? []);
        return $this;
    }

    public static function keyStep(int|string $key): string
    {
        return \is_int($key) ? "[$key]" : "['" . self::escape($key) . "']";
    }

    /** Returns the error for argument $number, or for the result of a $compute if $number is 0. */
    public function error(int $number, string $root): \Error
    {
        $steps = array_reverse($this->steps);
        $path = $root . implode('', \array_slice($steps, 0, self::STEPS)) . (\count($steps) > self::STEPS ? '...' : '');
        $text = "$this->what, found at $path";
        if ($number !== 0) {
            return Fault::argument($this->error, $number, $text);
        }
        return new $this->error(implode('::', Fault::caller()) . "(): The value that \$compute returned $text");
    }

    private static function escape(string $key): string
    {
        $short = ["\n" => '\n', "\r" => '\r', "\t" => '\t', "\f" => '\f', "\v" => '\v', '\\' => '\\\\', "\e" => '\e'];
        $text = preg_replace_callback('/[^ -\[\]-~]/', fn(array $m) => $short[$m[0]] ?? sprintf('\x%02X', \ord($m[0])), substr($key, 0, 100));
        return $text . (\strlen($key) > 100 ? '...' : '');
    }
}
