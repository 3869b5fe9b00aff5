<?php

declare(strict_types=1);

namespace Package\Extension;

use Package\Target\php;
use StaticPHP\Attribute\Package\BeforeStage;
use StaticPHP\Attribute\Package\Extension;
use StaticPHP\Attribute\PatchDescription;
use StaticPHP\Package\PhpExtensionPackage;
use StaticPHP\Util\FileSystem;

/** Copy this file to src/Package/Extension/larder.php, and both larder and core, whose files it includes, to php-src/ext. */
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
