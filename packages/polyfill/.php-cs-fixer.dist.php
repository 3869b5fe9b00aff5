<?php

declare(strict_types=1);

return (new PhpCsFixer\Config())
    ->setRiskyAllowed(true)
    ->setUnsupportedPhpVersionAllowed(true)
    ->setRules(['@PER-CS3.0' => true, 'declare_strict_types' => true, 'no_unused_imports' => true, 'ordered_imports' => true])
    ->setFinder((new PhpCsFixer\Finder())->in([__DIR__ . '/src', __DIR__ . '/tests'])->append([__FILE__, __DIR__ . '/autoload.php']));
