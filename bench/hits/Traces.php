<?php

declare(strict_types=1);

namespace Bench\Hits;

use InvalidArgumentException;

/** Makes sequences of keys, which are numbers from 0. A name and length always give the same sequence. */
final class Traces
{
    public const NAMES = ['visitors', 'news', 'jobs'];
    private const KEYS = 20000;

    /** @return list<int> */
    public static function make(string $name, int $length): array
    {
        mt_srand(crc32($name));
        return match ($name) {
            'visitors' => self::visitors($length),
            'news' => self::news($length),
            'jobs' => self::jobs($length),
            default => throw new InvalidArgumentException("no trace is called $name; there are " . implode(', ', self::NAMES)),
        };
    }

    /** Requests pages by popularity (Zipf, exponent 0.9). About one request in ten is a crawler's, for a page that is never requested
     * again. */
    private static function visitors(int $length): array
    {
        $zipf = self::zipf(0.9);
        $crawled = self::KEYS;
        $keys = [];
        for ($i = 0; $i < $length; $i++) {
            $keys[] = mt_rand(0, 9) === 0 ? $crawled++ : self::spread(self::draw($zipf));
        }
        return $keys;
    }

    /** Requests pages by popularity, which shifts: after each 1,000 requests, 100 other pages become the most popular ones. */
    private static function news(int $length): array
    {
        $zipf = self::zipf(1.0);
        $keys = [];
        for ($i = 0; $i < $length; $i++) {
            // After each 1,000 requests, 100 other pages take the ranks 0 to 99. All other pages move down by 100 ranks.
            $newest = intdiv($i, 1000) * 100;
            $keys[] = self::spread((self::draw($zipf) - $newest % self::KEYS + self::KEYS) % self::KEYS);
        }
        return $keys;
    }

    /** Half of all requests are by visitors, the others by a job that reads 8,000 keys in order, again and again. */
    private static function jobs(int $length): array
    {
        $zipf = self::zipf(0.9);
        $keys = [];
        for ($i = 0; $i < $length; $i++) {
            $keys[] = $i % 2 ? self::KEYS + intdiv($i, 2) % 8000 : self::spread(self::draw($zipf));
        }
        return $keys;
    }

    /** @return list<float> for each rank: the sum of the weights of this rank and all better ranks */
    private static function zipf(float $exponent): array
    {
        $sums = [];
        $sum = 0.0;
        for ($rank = 1; $rank <= self::KEYS; $rank++) {
            $sums[] = $sum += $rank ** -$exponent;
        }
        return $sums;
    }

    /** @param list<float> $sums */
    private static function draw(array $sums): int
    {
        $wanted = mt_rand() / (mt_getrandmax() + 1) * $sums[count($sums) - 1];
        for ($low = 0, $high = count($sums) - 1; $low < $high;) {
            $middle = intdiv($low + $high, 2);
            $sums[$middle] > $wanted ? $high = $middle : $low = $middle + 1;
        }
        return $low;
    }

    /** Returns the key of a rank. Different ranks have different keys. Popular keys are not neighbours. */
    private static function spread(int $rank): int
    {
        return $rank * 7919 % self::KEYS; // 7919 is prime, and does not divide KEYS
    }
}
