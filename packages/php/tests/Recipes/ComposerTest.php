<?php

declare(strict_types=1);

namespace Larder\Tests\Recipes;

use PHPUnit\Framework\TestCase;

/** Tests that Composer accepts packages/php as a package. */
final class ComposerTest extends TestCase
{
    public function testItIsInstalledFromAPathRepository(): void
    {
        $lib = getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib';
        $installed = json_decode((string) file_get_contents("$lib/vendor/composer/installed.json"), true)['packages'];
        $package = array_column($installed, null, 'name')['larder/cache'];
        $this->assertSame(['library', 'path', ['php' => '>=8.2', 'psr/cache' => '^2.0 || ^3.0', 'psr/simple-cache' => '^2.0 || ^3.0']], [$package['type'], $package['dist']['type'], $package['require']]);
    }

    /** The repository in docs/frameworks/README.md copies the package, because FPM's user may not be able to follow a symbolic link. */
    public function testTheDocumentedRepositoryCopiesThePackage(): void
    {
        exec('command -v composer', $_, $code);
        $code === 0 || $this->markTestSkipped('composer is missing');
        $project = \dirname(__DIR__, 4);
        preg_match_all('/^composer (?:config|require) .*$/m', (string) file_get_contents("$project/docs/frameworks/README.md"), $found);
        $this->assertCount(2, $found[0]);
        $folder = sys_get_temp_dir() . '/larder-composer-' . bin2hex(random_bytes(6));
        mkdir($folder);
        try {
            $lib = getenv('LARDER_LIB') ?: "$project/build/lib";
            $commands = ['echo {} >composer.json', 'composer config repositories.packagist.org false'];
            foreach (['cache', 'simple-cache'] as $psr) { // Composer takes these two packages from build/lib, without a network
                $commands[] = 'composer config repositories.' . $psr . ' ' . escapeshellarg((string) json_encode(['type' => 'path', 'url' => "$lib/vendor/psr/$psr", 'options' => ['versions' => ["psr/$psr" => '3.0.0']]]));
            }
            array_push($commands, ...str_replace('/path/to/larder', $project, $found[0]));
            exec('cd ' . escapeshellarg($folder) . ' && export COMPOSER_HOME=$PWD/home COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_NO_INTERACTION=1 && (' . implode(' && ', $commands) . ') 2>&1', $said, $code);
            $this->assertSame(0, $code, implode("\n", $said));
            $this->assertFileExists("$folder/vendor/larder/cache/src/Cache/SimpleCache.php");
            $this->assertFalse(is_link("$folder/vendor/larder/cache"), implode("\n", $said));
        } finally {
            exec('rm -rf ' . escapeshellarg($folder));
        }
    }

    public function testThePolyfillStandsInForTheExtension(): void
    {
        exec('command -v composer', $_, $missing);
        if ($missing !== 0) {
            $this->markTestSkipped('composer is missing');
        }
        $folder = sys_get_temp_dir() . '/larder-polyfill-' . getmypid();
        mkdir($folder);
        $repository = ['type' => 'path', 'url' => \dirname(__DIR__, 3) . '/polyfill'];
        file_put_contents("$folder/composer.json", json_encode([
            'require' => ['ext-larder' => '*'],
            'require-dev' => ['larder/polyfill' => '@dev'],
            'repositories' => [$repository, ['packagist.org' => false]],
        ]));
        exec('cd ' . escapeshellarg($folder) . ' && COMPOSER_ALLOW_SUPERUSER=1 composer install --no-interaction --no-progress 2>&1', $out, $failed);
        $this->assertSame(0, $failed, implode("\n", $out));
        $code = 'require $argv[1]; Larder\VolatileCache::set("k", [1, 2]); echo Larder\VolatileCache::get("k")[1], Larder\scope(fn() => "!");';
        $answer = shell_exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', '-r', $code, "$folder/vendor/autoload.php"])));
        exec('rm -rf ' . escapeshellarg($folder));
        $this->assertSame('2!', $answer);
    }

    public function testEveryFileIsThere(): void
    {
        $manifest = json_decode((string) file_get_contents(\dirname(__DIR__, 2) . '/composer.json'), true);
        foreach ($manifest['autoload']['psr-4'] as $folder) {
            $this->assertDirectoryExists(\dirname(__DIR__, 2) . "/$folder");
        }
    }

    public function testEveryClassIsFoundByItsName(): void
    {
        $package = \dirname(__DIR__, 2);
        /** @var array<string, string> $map */
        $map = json_decode((string) file_get_contents("$package/composer.json"), true)['autoload']['psr-4'];
        $files = new \RegexIterator(new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator("$package/src", \FilesystemIterator::SKIP_DOTS)), '/\.php$/');
        $lost = [];
        foreach ($files as $file) {
            \assert($file instanceof \SplFileInfo);
            $path = substr((string) $file, \strlen("$package/"));
            preg_match('/^namespace ([\w\\\\]+);.*?^ *(?:(?:final|abstract|readonly) )*(?:class|interface|trait|enum) (\w+)/ms', (string) file_get_contents((string) $file), $match);
            [, $namespace, $class] = $match + ['', '', ''];
            $found = false;
            foreach ($map as $prefix => $folder) {
                $found = $found || (str_starts_with("$namespace\\", $prefix) && $folder . strtr(substr("$namespace\\$class", \strlen($prefix)), '\\', '/') . '.php' === $path);
            }
            $lost = [...$lost, ...($found ? [] : ["$path: $namespace\\$class"])];
        }
        $this->assertSame([], $lost);
    }
}
