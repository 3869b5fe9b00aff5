<?php

declare(strict_types=1);

namespace Demo;

use RuntimeException;

/** Gathers the package database of this machine into one file. */
final class Source
{
    private const STATUS = '/var/lib/dpkg/status';
    private const FEW = 3000;
    private const ENOUGH = 5000;

    /** Writes the file, and returns a description of its content. */
    public static function gather(string $path): string
    {
        $status = @file_get_contents(self::STATUS);
        if ($status === false) {
            throw new RuntimeException(self::STATUS . ' cannot be read; this demo needs Debian or a relative');
        }
        $records = [];
        foreach (explode("\n\n", trim($status)) as $record) {
            $records[self::name($record)] ??= $record;
        }
        $text = number_format(count($records)) . ' packages of ' . self::STATUS;
        if (count($records) < self::FEW) {
            $installed = count($records);
            foreach (self::available() as $record) {
                $records[self::name($record)] ??= $record;
                if (count($records) >= self::ENOUGH) {
                    break;
                }
            }
            $text .= ' and ' . number_format(count($records) - $installed) . " of apt's lists";
        }
        file_put_contents($path, implode("\n\n", $records) . "\n");
        return $text;
    }

    private static function name(string $record): string
    {
        return preg_match('/^Package: (\S+)/m', $record, $found) === 1 ? $found[1] : '';
    }

    /** @return iterable<string> the records of packages that could be installed, read on demand */
    private static function available(): iterable
    {
        $pipe = popen('apt-cache dumpavail 2>/dev/null', 'r');
        $record = '';
        while ($pipe !== false && ($line = fgets($pipe)) !== false) {
            if ($line !== "\n") {
                $record .= $line;
            } elseif ($record !== '') {
                yield rtrim($record);
                $record = '';
            }
        }
    }
}
