--TEST--
larder: ops: the manual page has each command and each option
--FILE--
<?php
namespace Larder\Ops;

foreach (['Failure', 'Options', 'Command'] as $class) {
    require dirname(__DIR__, 3) . "/ops/src/$class.php";
}
$page = str_replace('\-', '-', (string) file_get_contents(dirname(__DIR__, 3) . '/ops/larder.1'));
foreach (array_keys(Command::WORDS) as $word) {
    echo preg_match("/^\.(B|BI) $word\b/m", $page) === 1 ? '' : "no command $word\n";
}
foreach (Options::ALL as $name => [$letter]) {
    $short = $letter !== '' ? "-$letter\\S* .*" : '';
    echo preg_match("/^\.(B|BI|BR) $short--$name\b/m", $page) === 1 ? '' : "no option --$name\n";
}
echo "done\n";
?>
--EXPECT--
done
