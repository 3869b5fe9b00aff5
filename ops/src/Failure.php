<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Ends the command with a message of one line. Exit code 1: failure, 2: usage error. */
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
