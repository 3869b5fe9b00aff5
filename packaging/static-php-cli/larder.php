<?php

declare(strict_types=1);

namespace Package\Extension;

use Package\Target\php;
use StaticPHP\Attribute\Package\BeforeStage;
use StaticPHP\Attribute\Package\Extension;
use StaticPHP\Attribute\PatchDescription;
use StaticPHP\Package\PhpExtensionPackage;
use StaticPHP\Util\FileSystem;

/** To use this file, copy it to src/Package/Extension/larder.php. It puts larder, and the core whose files larder includes, into php-src/ext. */
#[Extension('larder')]
class larder extends PhpExtensionPackage
{
    #[BeforeStage('php', [php::class, 'buildconfForUnix'], 'ext-larder')]
    #[PatchDescription('Put larder and the core that it includes where buildconf looks for extensions')]
    public function patchBeforeBuildconf(): bool
    {
        $extensions = SOURCE_PATH . '/php-src/ext';
        if (is_dir("{$extensions}/larder")) {
            return false;
        }
        FileSystem::copyDir(SOURCE_PATH . '/larder/php', "{$extensions}/larder");
        FileSystem::copyDir(SOURCE_PATH . '/larder/core', "{$extensions}/core");
        return true;
    }
}
