<?php

declare(strict_types=1);

namespace Bench;

/** Finds queues by name: "zmq" is the class Bench\Queue\Zmq in queues/Zmq.php. */
final class Pushers
{
    public const NAMES = ['fake', 'larder', 'redis', 'predis', 'zmq'];

    public static function open(string $name): Pusher
    {
        return new (self::class($name))();
    }

    /** Returns the exception to report for a queue's error: an Unavailable if an extension or library is missing, otherwise $error. */
    public static function meaning(string $name, \Error $error): \Throwable
    {
        $class = self::class($name);
        return class_exists($class::NEEDS, false) ? $error : new Unavailable($class::MISSING);
    }

    /** @return class-string<Pusher> */
    public static function class(string $name): string
    {
        in_array($name, self::NAMES, true) || throw new Unknown("There is no queue \"$name\". Queues: " . implode(', ', self::NAMES));
        return 'Bench\\Queue\\' . ucfirst($name);
    }
}
