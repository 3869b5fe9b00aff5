--TEST--
larder: keyInfo() of what another process replaces and deletes meanwhile looks at nothing that was freed
--EXTENSIONS--
larder
pcntl
posix
--INI--
larder.pinned_size=1M
--FILE--
<?php
use Larder\PinnedCache;

class Node
{
    public ?Node $next = null;
    public array $list = [];
}
$node = new Node();
for ($i = 0; $i < 50; $i++) {
    $next = new Node();
    $next->next = $node;
    $node = $next;
}
PinnedCache::set('key', $node);
$child = pcntl_fork();
if ($child === 0) {
    for ($end = microtime(true) + 1; microtime(true) < $end;) {
        PinnedCache::delete('key');
        for ($i = 0; $i < 4; $i++) {
            PinnedCache::set("other$i", str_repeat("\x9b\xff", 4000)); // over what was freed
            PinnedCache::delete("other$i");
        }
        PinnedCache::set('key', $node);
    }
    posix_kill(getmypid(), SIGKILL);
}
$seen = [];
for ($i = 0; pcntl_waitpid($child, $status, WNOHANG) === 0; $i++) {
    $info = PinnedCache::keyInfo('key');
    $seen[$info?->store_type->name ?? 'NotFound'] = true;
}
unset($seen['NotFound']);
var_dump(array_keys($seen), $i > 100);
--EXPECTF--
array(1) {
  [0]=>
  string(%d) "%s"
}
bool(true)
