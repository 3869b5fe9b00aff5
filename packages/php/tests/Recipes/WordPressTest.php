<?php

declare(strict_types=1);

namespace Larder\Tests\Recipes;

use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;

/** The drop-in by itself; its whole behaviour is that of WordPress, with which tests/WordPress compares it. */
final class WordPressTest extends TestCase
{
    public static function setUpBeforeClass(): void
    {
        \define('WP_CACHE_KEY_SALT', 'recipes');
        eval('function is_multisite(): bool { return false; } function wp_suspend_cache_addition(): bool { return false; }');
        require \dirname(__DIR__, 2) . '/wordpress/object-cache.php';
    }

    protected function setUp(): void
    {
        wp_cache_init();
        wp_cache_flush();
    }

    public function testWhatIsCountedKeepsItsTimeToLive(): void
    {
        foreach (['int' => 5, 'text' => '5', 'float' => 5.5, 'no number' => 'x'] as $key => $value) {
            wp_cache_set($key, $value, 'counts', 1000);
            wp_cache_set("$key, for ever", $value, 'counts');
            $sum = (is_numeric($value) ? $value + 0 : 0) + 2;
            $this->assertSame([$sum, $sum], [wp_cache_incr($key, 2, 'counts'), wp_cache_incr("$key, for ever", 2, 'counts')]);
            $this->assertSame($sum, (new \Larder_Object_Cache())->get($key, 'counts'), 'in another request');
            $left = self::left('counts', $key);
            $this->assertTrue($left > 900 && $left <= 1000, "$key: $left");
            $this->assertNull(self::left('counts', "$key, for ever"));
        }
    }

    private static function left(string $group, string $key): ?float
    {
        $site = 'wp.' . substr(hash('sha256', 'recipes'), 0, 16);
        return VolatileCache::pool("$site." . dechex(VolatileCache::pool($site)->get('generation')) . ".$group")->keyInfo($key)?->ttl;
    }
}
