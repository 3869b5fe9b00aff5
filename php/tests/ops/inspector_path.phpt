--TEST--
larder: ops: Inspector::path() gives the path of a named store, and throws where there can be none
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
foreach (['app', '', '../x', '.x', str_repeat('x', 65)] as $scope) {
    try {
        echo preg_replace('~larder-\d+~', 'larder-UID', str_replace($folder, 'FOLDER', Larder\Inspector::path('volatile', $scope, $folder))), "\n";
    } catch (Larder\StaticCacheException $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
FOLDER/larder-UID/app-volatile
larder.scope = "": must be 1 to 64 letters, digits, '_', '-' and '.', no '.' first
larder.scope = "../x": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
larder.scope = ".x": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
larder.scope = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
