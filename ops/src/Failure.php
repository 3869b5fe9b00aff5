<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Ends the command with one line; the code is its exit code: 1 it could not be done, 2 it was asked wrongly. */
final class Failure extends \Exception
{
    public static function usage(string $message): self
    {
        return new self($message, 2);
    }

    public static function failed(string $message): self
    {
        return new self($message, 1);
    }
}
