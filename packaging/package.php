<?php

/*
 * Prints package.xml, which `pecl install` reads: php packaging/package.php. It lists every file from which the extension is built.
 * tools/release.sh makes it for each release.
 */

declare(strict_types=1);

$root = dirname(__DIR__);
chdir($root);
$version = trim((string) file_get_contents('VERSION'));
preg_match("/^## \\[$version\\] - (\\d{4}-\\d\\d-\\d\\d)/m", (string) file_get_contents('CHANGELOG.md'), $match);
$date = $match[1] ?? gmdate('Y-m-d', (int) (getenv('SOURCE_DATE_EPOCH') ?: time()));

$files = [];
foreach (['core/core.c', 'core/include', 'core/src', 'core/vendor', 'php/config.m4', 'php/larder.stub.php', 'php/larder_api.h', 'php/src'] as $path) {
    $found = is_dir($path) ? new RecursiveIteratorIterator(new RecursiveDirectoryIterator($path, FilesystemIterator::SKIP_DOTS)) : [new SplFileInfo($path)];
    foreach ($found as $file) {
        if (preg_match('/(\.[chm]4?|\.stub\.php|LICENSE)$/', $file->getFilename()) && !str_contains($file->getPathname(), '/.libs/')) {
            $files[$file->getPathname()] = 'src';
        }
    }
}
$files += ['LICENSE' => 'doc', 'CHANGELOG.md' => 'doc', 'README.md' => 'doc'];
ksort($files);
$list = '';
foreach ($files as $name => $role) {
    $list .= "   <file name=\"$name\" role=\"$role\"/>\n";
}
echo <<<XML
    <?xml version="1.0" encoding="UTF-8"?>
    <package version="2.0" xmlns="http://pear.php.net/dtd/package-2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://pear.php.net/dtd/package-2.0 http://pear.php.net/dtd/package-2.0.xsd">
     <name>larder</name>
     <channel>pecl.php.net</channel>
     <summary>Shared-memory cache that is not copied</summary>
     <description>Keeps values in shared memory and gives them to PHP where they lie: an array of any size is fetched in the time of a function call.
    Processes may be killed at any instruction without losing or damaging what others stored.</description>
     <lead>
      <name>The Larder authors</name>
      <user>larder</user>
      <email>packages@example.org</email>
      <active>yes</active>
     </lead>
     <date>$date</date>
     <version>
      <release>$version</release>
      <api>$version</api>
     </version>
     <stability>
      <release>beta</release>
      <api>beta</api>
     </stability>
     <license uri="https://spdx.org/licenses/MIT.html">MIT</license>
     <notes>See CHANGELOG.md.</notes>
     <contents>
      <dir name="/">
    $list  </dir>
     </contents>
     <dependencies>
      <required>
       <php>
        <min>8.2.0</min>
       </php>
       <pearinstaller>
        <min>1.10.0</min>
       </pearinstaller>
       <os>
        <name>linux</name>
       </os>
      </required>
     </dependencies>
     <providesextension>larder</providesextension>
     <extsrcrelease/>
    </package>

    XML;
