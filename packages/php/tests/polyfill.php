<?php

/* Defines functions of newer PHP versions that the frameworks call, and for which Composer has no polyfill. */

declare(strict_types=1);

if (!function_exists('get_error_handler')) {
    function get_error_handler(): ?callable
    {
        $handler = set_error_handler(null);
        restore_error_handler();
        return $handler;
    }
}

if (!function_exists('get_exception_handler')) {
    function get_exception_handler(): ?callable
    {
        $handler = set_exception_handler(null);
        restore_exception_handler();
        return $handler;
    }
}

if (!function_exists('array_first')) {
    /** @param array<mixed> $array */
    function array_first(array $array): mixed
    {
        return $array === [] ? null : $array[array_key_first($array)];
    }
}

if (!function_exists('array_last')) {
    /** @param array<mixed> $array */
    function array_last(array $array): mixed
    {
        return $array === [] ? null : $array[array_key_last($array)];
    }
}

if (interface_exists('Psr\Clock\ClockInterface') && !interface_exists('Symfony\Component\Clock\ClockInterface')) {
    // Carbon implements this interface, and Symfony's container makes an object of the class Clock.
    eval('namespace Symfony\Component\Clock; interface ClockInterface extends \Psr\Clock\ClockInterface { public function sleep(float|int $seconds): void; public function withTimeZone(\DateTimeZone|string $timezone): static; }'
        . ' final class Clock implements ClockInterface { public function now(): \DateTimeImmutable { return new \DateTimeImmutable(); } public function sleep(float|int $seconds): void { usleep((int) ($seconds * 1e6)); } public function withTimeZone(\DateTimeZone|string $timezone): static { return $this; } }');
}
