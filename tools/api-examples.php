<?php
/* The examples of docs/api.md, one for each call. tools/docs.php writes them there, and `make test-docs` runs them.
 *   php -d extension=php/modules/larder.so tools/api-examples.php --run  runs each by itself, with empty stores; exit code 1 if one is wrong
 *   php tools/api-examples.php --control                                 runs examples that are wrong, which must be noticed
 * The comment after a statement is the statement's value as JSON. Every call of a stub must have an example. */

const COMMON = [
    'get' => "C('set', 'user:7', ['name' => 'Ada']);                  // true\nC('get', 'user:7')['name'];                             // \"Ada\"\nC('get', 'user:8', 'nobody');                           // \"nobody\"",
    'getMultiple' => "C('setMultiple', ['a' => 1, 'b' => 2]);\nC('getMultiple', ['a', 'b', 'c']);                      // {\"a\":1,\"b\":2,\"c\":null}",
    'setMultiple' => "C('setMultiple', ['a' => 1, 'b' => [2, 3]]);            // true\nC('get', 'b');                                          // [2,3]",
    'add' => "C('add', 'job', 'first');                               // true\nC('add', 'job', 'second');                              // false\nC('get', 'job');                                        // \"first\"",
    'has' => "C('set', 'flag', null);\nC('has', 'flag');                                       // true\nC('has', 'other');                                      // false",
    'delete' => "C('set', 'old', 1);\nC('delete', 'old');                                     // true\nC('delete', 'old');                                     // false",
    'deleteMultiple' => "C('setMultiple', ['a' => 1, 'b' => 2]);\nC('deleteMultiple', ['a', 'b']);                        // true\nC('deleteMultiple', ['a']);                             // false",
    'clear' => "C('set', 'a', 1);\nC('clear');                                             // true\nC('has', 'a');                                          // false",
    'increment' => "C('increment', 'visits');                               // 1\nC('increment', 'visits', 10);                           // 11",
    'decrement' => "C('set', 'stock', 5);\nC('decrement', 'stock');                                // 4\nC('decrement', 'stock', 2);                             // 2",
    'throttle' => "\$limit = C('throttle', 'login:ada', 2, 60);              // two calls in 60 seconds\n\$limit->allowed;                                        // true\n\$limit->remaining;                                      // 1\nC('throttle', 'login:ada', 2, 60);\nC('throttle', 'login:ada', 2, 60)->allowed;             // false",
    'take' => "C('set', 'token', 'abc');\nC('take', 'token');                                     // \"abc\"\nC('take', 'token');                                     // null",
    'getVersioned' => "C('set', 'page', 'one');\n[\$value, \$version] = C('getVersioned', 'page');\n\$value;                                                 // \"one\"\nC('getVersioned', 'other');                             // null",
    'replaceIf' => "C('set', 'page', 'one');\n[, \$version] = C('getVersioned', 'page');\nC('replaceIf', 'page', 'two', \$version);                // true\nC('replaceIf', 'page', 'three', \$version);              // false",
    'deleteIf' => "C('set', 'page', 'one');\n[, \$version] = C('getVersioned', 'page');\nC('deleteIf', 'page', \$version);                        // true\nC('has', 'page');                                       // false",
    'compareAndSet' => "C('set', 'turn', 1);\nC('compareAndSet', 'turn', 1, 2);                       // true\nC('compareAndSet', 'turn', 1, 3);                       // false\nC('get', 'turn');                                       // 2",
    'lock' => "C('lock', 'report');                                    // true\nC('lock', 'report');                                    // false\nC('unlock', 'report');                                  // true",
    'unlock' => "C('unlock', 'report');                                  // false\nC('lock', 'report', lease: 30);                         // true\nC('unlock', 'report');                                  // true",
    'remember' => "C('remember', 'answer', fn() => 6 * 7);                 // 42\nC('remember', 'answer', fn() => 0);                     // 42",
    'keyInfo' => "C('set', 'name', 'Ada');\n\$info = C('keyInfo', 'name');\n\$info->store_type->name;                                // \"Scalar\"\n\$info->ttl;                                             // null\nC('keyInfo', 'other');                                  // null",
];

const EXAMPLES = [
    'scope' => "while (\$job = array_shift(\$jobs)) {\n    Larder\\scope(function () use (\$job) {\n        return count(VolatileCache::get(\$job));\n    });                                                 // 3\n}",
    'endRequest' => "VolatileCache::lock('report');                           // true\nLarder\\endRequest();                                    // 1\nVolatileCache::lock('report');                           // true",
    'beginRequest' => "foreach (\$jobs as \$job) {\n    Larder\\beginRequest();\n    VolatileCache::get(\$job)[0];                          // 1\n    Larder\\endRequest();\n}",
    'waitWith' => "Larder\\waitWith(function (float \$seconds): bool {\n    if (Fiber::getCurrent() === null) {\n        return false;                                    // the call sleeps\n    }\n    Fiber::suspend(\$seconds);                            // the event loop resumes it\n    return true;\n});\nLarder\\waitWith(null);",
    'VolatileCache::set' => "VolatileCache::set('greeting', ['hello', 'world'], 60);  // true, for 60 seconds\nVolatileCache::get('greeting')[1];                      // \"world\"",
    'VolatileCache::touch' => "VolatileCache::set('session', 'data', 60);\nVolatileCache::touch('session', 3600);                  // true\nVolatileCache::keyInfo('session')->ttl > 3000;          // true",
    'VolatileCache::getCacheStoreType' => "VolatileCache::set('list', [1, 2]);\nVolatileCache::getCacheStoreType('list')->name;         // \"SharedGraph\"",
    'VolatileCache::info' => "VolatileCache::set('a', 1);\n\$info = VolatileCache::info();\n\$info->available;                                       // true\n\$info->entry_count;                                     // 1",
    'VolatileCache::keys' => "VolatileCache::setMultiple(['user:1' => 'Ada', 'page' => 'home']);\niterator_to_array((function () { yield from VolatileCache::keys('user:'); })(), false); // [\"user:1\"]",
    'VolatileCache::pool' => "\$users = VolatileCache::pool('users');\n\$users->set('7', 'Ada');                                // true\nVolatileCache::has('7');                                // false",
    'Pool::name' => "VolatileCache::pool('users')->name();                   // \"users\"",
    'Pool::set' => "\$pool->set('7', 'Ada', 60);                              // true\n\$pool->get('7');                                        // \"Ada\"",
    'Pool::touch' => "\$pool->set('session', 'data', 60);\n\$pool->touch('session', 3600);                          // true\n\$pool->touch('other', 3600);                            // false",
    'Pool::lease' => "\$pool->set('any', 1);\n\$lease = \$pool->lease('article');\n\$lease !== null;                                        // true\n\$pool->lease('article');                                // null",
    'Pool::fill' => "\$pool->set('any', 1);\n\$lease = \$pool->lease('article');                        // then read the data\n\$pool->fill('article', 'text', \$lease, 60);             // true\n\$pool->get('article');                                  // \"text\"",
    'Pool::invalidate' => "\$pool->set('any', 1);\n\$lease = \$pool->lease('article');\n\$pool->invalidate('article');                           // true\n\$pool->fill('article', 'stale text', \$lease);           // false",
    'Pool::begin' => "\$token = \$pool->begin(1);                               // empty again after a second\n\$pool->set('row', 5);                                   // true\n\$token !== null;                                        // true",
    'Pool::prolong' => "\$token = \$pool->begin(1);\n\$pool->prolong(\$token, 5);                              // true\n\$pool->begin(1);                                        // a new pool\n\$pool->prolong(\$token, 5);                              // false",
    'Pool::info' => "\$pool->set('7', 'Ada');\n\$pool->info()->entry_count;                             // 1",
    'PinnedCache::set' => "PinnedCache::set('config', ['debug' => false]);         // true\nPinnedCache::get('config')['debug'];                    // false",
    'PinnedCache::getCacheStoreType' => "PinnedCache::set('name', 'Ada');\nPinnedCache::getCacheStoreType('name')->name;           // \"Scalar\"",
    'PinnedCache::info' => "PinnedCache::info()->available;                         // true\nPinnedCache::info()->evictions;                         // 0",
    'PinnedCache::keys' => "PinnedCache::setMultiple(['user:1' => 'Ada', 'page' => 'home']);\niterator_to_array((function () { yield from PinnedCache::keys('user:'); })(), false); // [\"user:1\"]",
    'Queue::open' => "\$mail = Queue::open('mail', capacity: 100);\n\$mail->info()->capacity;                                // 100",
    'Queue::names' => "Queue::open('mail');\nin_array('mail', Queue::names(), true);                 // true",
    'Queue::name' => "Queue::open('mail')->name();                            // \"mail\"",
    'Queue::push' => "\$id = \$mail->push(['to' => 'ada@example.org'], delay: 0, priority: 5);\nis_string(\$id);                                         // true\n\$mail->info()->ready;                                   // 1",
    'Queue::pushMany' => "count(\$mail->pushMany(['first', 'second']));            // 2",
    'Queue::pop' => "\$mail->push('hello');\n\$message = \$mail->pop();                                // null if the queue is empty\n\$message->body;                                         // \"hello\"\n\$message->ack();                                        // true",
    'Queue::popMany' => "\$mail->pushMany(['first', 'second', 'third']);\narray_map(fn(\$m) => \$m->ack(), \$mail->popMany(2));      // [true,true]\n\$mail->info()->ready;                                   // 1",
    'Queue::peek' => "\$mail->push('hello');\n\$mail->peek()->body;                                    // \"hello\"\n\$mail->info()->ready;                                   // 1",
    'Queue::list' => "\$mail->pushMany(['first', 'second']);\ncount(\$mail->list());                                   // 2",
    'Queue::delete' => "\$id = \$mail->push('hello');\n\$mail->delete(\$id);                                     // true\n\$mail->delete(\$id);                                     // false",
    'Queue::kick' => "\$mail->push('hello');\n\$mail->pop()->bury();                                   // true\n\$mail->kick();                                          // 1",
    'Queue::clear' => "\$mail->pushMany(['first', 'second']);\n\$mail->clear();                                         // 2",
    'Queue::info' => "\$mail->push('hello');\n\$info = \$mail->info();\n[\$info->ready, \$info->buried];                          // [1,0]",
    'Message::ack' => "\$mail->push('hello');\n\$message = \$mail->pop();\n\$message->ack();                                        // true\n\$message->ack();                                        // false",
    'Message::release' => "\$mail->push('hello');\n\$mail->pop()->release();                                // true\n\$mail->pop()->attempts;                                 // 2",
    'Message::bury' => "\$mail->push('hello');\n\$mail->pop()->bury();                                   // true\n\$mail->info()->buried;                                  // 1",
    'Message::touch' => "\$mail->push('hello');\n\$message = \$mail->pop(timeToRun: 30);\n\$message->touch();                                      // true, 30 seconds more",
    'Message::isReserved' => "\$mail->push('hello');\n\$message = \$mail->pop();\n\$message->isReserved();                                 // true\n\$message->ack();\n\$message->isReserved();                                 // false",
    'Inspector::own' => "Inspector::own('volatile')->stats()['policy'];          // \"volatile\"",
    'Inspector::open' => "\$path = Inspector::path('volatile', 'no-such-scope');\ntry {\n    Inspector::open(\$path);\n} catch (Larder\\StaticCacheException \$e) {\n    \$e->getMessage() !== '';                            // true\n}",
    'Inspector::path' => "basename(Inspector::path('volatile', 'app'));           // \"app-volatile\"",
    'Inspector::stats' => "VolatileCache::set('a', 1);\nInspector::own('volatile')->stats()['entries'];         // 1",
    'Inspector::entries' => "VolatileCache::set('user:7', 'Ada');\nInspector::own('volatile')->entries('user:')[0]['key']; // \"user:7\"",
    'Inspector::keys' => "VolatileCache::set('user:7', 'Ada');\nInspector::own('volatile')->keys('user:');              // [\"user:7\"]",
    'Inspector::totals' => "VolatileCache::set('user:7', 'Ada');\nInspector::own('volatile')->totals()['']['entries'];    // 1",
    'Inspector::value' => "VolatileCache::set('user:7', 'Ada');\nInspector::own('volatile')->value('user:7', \$found);    // \"Ada\"\n\$found;                                                 // true",
    'Inspector::delete' => "VolatileCache::set('user:7', 'Ada');\nInspector::own('volatile')->delete('user:7');           // true",
    'Inspector::clear' => "VolatileCache::set('user:7', 'Ada');\nInspector::own('volatile')->clear('user:');             // 1",
    'Inspector::fsck' => "Inspector::own('volatile')->fsck();                     // []",
    'Inspector::threads' => "VolatileCache::get('a');\ncount(Inspector::own('volatile')->threads());           // 1",
    'Semaphore::acquire' => "\$permit = Semaphore::acquire('pdf', permits: 4, wait: 2);\n\$permit !== null;                                       // true\nunset(\$permit);                                         // releases it",
    'Semaphore::count' => "\$permit = Semaphore::acquire('pdf', 4);\nSemaphore::count('pdf', 4);                             // 1",
    'Permit::renew' => "\$permit = Semaphore::acquire('pdf', 4, lease: 60);\n\$permit->renew(120);                                   // true",
    'Permit::release' => "\$permit = Semaphore::acquire('pdf', 4);\n\$permit->release();                                     // true\n\$permit->release();                                     // false",
    'Broadcast::open' => "\$flags = Broadcast::open('flags');                       // keep the object\n\$flags->version;                                        // 0\n\$flags->value;                                          // null",
    'Broadcast::publish' => "\$flags = Broadcast::open('flags');\n\$flags->publish(['beta' => true]);                      // true\n\$flags->value['beta'];                                  // true",
    'Broadcast::wait' => "\$flags = Broadcast::open('flags');\n\$flags->wait(\$flags->version, timeout: 0.01);           // false",
    'FileCache::invalidate' => "FileCache::invalidate('/etc/no-such-file');             // false",
    'FileCache::info' => "FileCache::info()->entry_count;                         // 0",
    'Sessions::info' => "Sessions::info()->available;                            // true",
    'Sessions::count' => "Sessions::write('id1', 'data', 60);\nSessions::count();                                      // 1",
    'Sessions::destroy' => "Sessions::write('id1', 'data', 60);\nSessions::destroy('id1');                               // true\nSessions::read('id1');                                  // null",
    'Sessions::read' => "Sessions::write('id1', 'data', 60);\nSessions::read('id1');                                  // \"data\"\nSessions::read('other');                                // null",
    'Sessions::write' => "Sessions::write('id1', 'data', 60);                     // null\nSessions::read('id1');                                  // \"data\"",
    'Sessions::ids' => "Sessions::write('id1', 'data', 60);\nSessions::ids();                                        // [\"id1\"]",
];

/** Statements that run before an example. docs/api.md does not show them. */
const BEFORE = ['scope' => 'VolatileCache::set(\'job\', [1, 2, 3]); $jobs = [\'job\'];', 'beginRequest' => 'VolatileCache::set(\'job\', [1, 2, 3]); $jobs = [\'job\'];', 'Pool' => '$pool = VolatileCache::pool(\'example\'); $pool->clear();', 'Queue' => '$mail = Queue::open(\'mail\'); $mail->clear(true);', 'Message' => '$mail = Queue::open(\'mail\'); $mail->clear(true);', 'Sessions' => 'foreach (Sessions::ids() as $id) { Sessions::destroy($id); }'];

function example(string $call): string
{
    [$class, $method] = explode('::', $call) + [1 => ''];
    $common = in_array($class, ['VolatileCache', 'Pool', 'PinnedCache'], true) ? COMMON[$method] ?? '' : '';
    $code = EXAMPLES[$call] ?? preg_replace_callback(
        "/^(.*?)C\\('(\\w+)'(?:, )?/m",
        static fn(array $match): string => $match[1] . ($class === 'Pool' ? '$pool->' : "$class::") . $match[2] . '(',
        $common,
    );
    // Put all comments into one column.
    return (string) preg_replace_callback('/^(.*\S)\s+(\/\/ .*)$/m', static fn(array $match): string => str_pad($match[1], 56) . $match[2], (string) $code);
}

/** @return list<string> the faults of an example */
function wrong_example(string $call, string $code): array
{
    $code = (string) preg_replace_callback('/^( *)(.*?);\s+\/\/ (.+)$/m', static function (array $match): string {
        $expected = preg_match('/^("(?:[^"\\\\]|\\\\.)*"|\[.*\]|\{.*\}|-?\d+|true|false|null)(?:, |$)/', $match[3], $json) ? $json[1] : null;
        return $expected === null || preg_match('/^\$?\w+ = /', $match[2]) ? "$match[1]$match[2];" : "$match[1]" . (trim($match[2]) === '})'
            ? "$match[2], " . var_export($expected, true) . ');' : 'same(' . $match[2] . ', ' . var_export($expected, true) . ');');
    }, $code);
    // A call of scope() has several lines. The pattern above has added the end of same() to its last line, so add the beginning here.
    $code = (string) preg_replace('/^( *)(Larder\\\\scope\()/m', '$1same($2', $code);
    $GLOBALS['differs'] = [];
    try {
        eval("use Larder\\{Broadcast, Semaphore, VolatileCache, PinnedCache, Queue, Inspector, FileCache, Sessions};\n" . (BEFORE[strtok($call, ':')] ?? '') . "\n" . $code);
    } catch (Throwable $e) {
        $GLOBALS['differs'][] = get_class($e) . ': ' . $e->getMessage();
    }
    return array_map(static fn(string $line): string => "$call: $line", $GLOBALS['differs']);
}

function same(mixed $value, string $expected): void
{
    if (json_encode($value) !== $expected) {
        $GLOBALS['differs'][] = 'got ' . json_encode($value) . ", expected $expected";
    }
}

/** @return list<string> the calls of the extension, from its stubs */
function calls(string $root): array
{
    $calls = [];
    foreach (["$root/php/larder.stub.php", ...(glob("$root/php/src/*/*.stub.php") ?: [])] as $file) {
        $source = (string) file_get_contents($file);
        if (!str_contains($source, "\nnamespace Larder")) {
            continue;
        }
        $class = '';
        preg_match_all('/^ +(?:(?:final )?class (\w+)|public (?:static )?function (\w+)|function (\w+))/m', $source, $matches, PREG_SET_ORDER);
        foreach ($matches as $match) {
            $class = $match[1] !== '' ? $match[1] : $class;
            $name = ($match[2] ?? '') !== '' ? "$class::$match[2]" : ($match[3] ?? '');
            if ($name !== '' && !str_contains($name, '__construct')) {
                $calls[] = $name;
            }
        }
    }
    return $calls;
}

if (realpath($argv[0] ?? '') !== __FILE__) {
    return;
}
if (($argv[1] ?? '') === '--control') {
    $found = [...wrong_example('a', 'strlen("ab");   // 3'), ...wrong_example('b', 'no_such_function();')];
    if (count($found) !== 2) {
        fwrite(STDERR, "api-examples: a wrong example was not noticed\n");
        exit(1);
    }
    exit;
}
$wrong = [];
foreach ($calls = calls(dirname(__DIR__)) as $call) {
    $example = example($call);
    if ($example === '') {
        $wrong[] = "$call has no example";
        continue;
    }
    array_map(static fn(string $cache): bool => $cache::clear(), ['Larder\VolatileCache', 'Larder\PinnedCache']);
    array_push($wrong, ...wrong_example($call, $example));
}
fwrite(STDERR, implode('', array_map(static fn(string $line): string => "$line\n", $wrong)));
echo count($calls), ' examples, ', count($wrong), " wrong\n";
exit($wrong === [] ? 0 : 1);
