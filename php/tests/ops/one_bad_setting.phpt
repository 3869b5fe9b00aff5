--TEST--
larder: ops: one bad setting switches off what it is about, not the rest, or leaves its default
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
foreach (['volatile_size=lots', 'pinned_size=2T', 'entries_hint=-5', 'resident_size=many', 'pools=0', 'compat=apcu,apc', 'statics=maybe', 'statics_interval=soon', 'enable=nope', 'scope=../x'] as $bad) {
    echo ops_php('-d ' . escapeshellarg("larder.$bad"), 'echo "volatile ", json_encode(V::set("k", 1)), ", pinned ", json_encode(P::set("k", 1)), ", apcu ", json_encode(extension_loaded("apcu")), "\n";');
}
foreach (['file_cache=maybe', 'file_cache_ttl=soon', 'file_cache_revalidate=soon', 'file_cache_max_size=1GB', 'session_lock=maybe', 'session_lock_wait=soon', 'session_lock_timeout=never', 'session_max_size=1GB'] as $bad) {
    $name = 'larder.' . strtok($bad, '=');
    $text = ini_get($name) === false ? "Warning: $name: no sessions\n\n" : ops_php('-d ' . escapeshellarg("larder.$bad"), "echo ini_get('$name');");
    echo json_encode((bool) preg_match("/^Warning: $name.*\n" . preg_quote((string) ini_get($name)) . '\n$/', $text)), ' ';
}
--EXPECT--
Warning: larder.volatile_size = "lots": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
volatile false, pinned true, apcu false
Warning: larder.pinned_size = "2T": must be 0 or a size from 1M to 1T; the pinned store is off in Unknown on line 0
volatile true, pinned false, apcu false
Warning: larder.entries_hint = "-5": must be a number from 0 to 4294967295; stores begin small and grow in Unknown on line 0
volatile true, pinned true, apcu false
Warning: larder.resident_size = "many": must be 0 or a number of bytes; no objects are kept in workers in Unknown on line 0
volatile true, pinned true, apcu false
Warning: larder.pools = "0": must be a number from 1 to 1024; FPM pools have no stores without larder.scope in Unknown on line 0
volatile true, pinned true, apcu false
Warning: larder.compat: "apc" is none of apcu, immutable_cache, memsession, opcache, user_cache; that layer is off in Unknown on line 0
volatile true, pinned true, apcu true
Warning: larder.statics = "maybe": must be on or off; static properties keep nothing in Unknown on line 0
volatile true, pinned true, apcu false
Warning: larder.statics_interval = "soon": must be a number of milliseconds from 0 to 3600000; it is 10 in Unknown on line 0
volatile true, pinned true, apcu false
Warning: larder.enable = "nope": must be on or off; Larder is off in Unknown on line 0
volatile false, pinned false, apcu false
Warning: larder.scope = "../x": must be at most 64 letters, digits, '_', '-' and '.', no '.' first; Larder is off in Unknown on line 0
volatile false, pinned false, apcu false
true true true true true true true true
