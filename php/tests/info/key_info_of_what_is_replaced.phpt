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
    for (;;) {
        PinnedCache::delete('key');
        for ($i = 0; $i < 4; $i++) {
            PinnedCache::set("other$i", str_repeat("\x9b\xff", 4000)); // overwrites the freed memory
            PinnedCache::delete("other$i");
        }
        PinnedCache::set('key', $node);
    }
}
$seen = [];
for ($i = 0, $start = hrtime(true); hrtime(true) - $start < 1e9 || ($i <= 100 || count($seen) < 2) && hrtime(true) - $start < 60e9; $i++) {
    $info = PinnedCache::keyInfo('key');
    $seen[$info?->store_type->name ?? 'NotFound'] = true;
}
posix_kill($child, SIGKILL);
pcntl_waitpid($child, $status);
unset($seen['NotFound']);
var_dump(array_keys($seen), $i > 100);
--EXPECTF--
array(1) {
  [0]=>
  string(%d) "%s"
}
bool(true)
