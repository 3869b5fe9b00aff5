--TEST--
larder: array: hundreds of functions do the same to fetched as to ordinary values, and never change the cache
--EXTENSIONS--
larder
--FILE--
<?php
/* Calls every function of these extensions that takes arrays, strings or mixed values, with ordinary values and with fetched ones. Results,
 * exceptions, warnings, output, and effects on references and streams must be equal. */
use Larder\VolatileCache;

const EXTENSIONS = ['standard', 'SPL', 'pcre', 'json', 'mbstring', 'ctype', 'hash', 'Core'];
const CALLS = 40;
const STREAMS = ['stream', 'handle', 'from', 'to', 'resource', 'stream_or_context', 'dir_handle', 'socket'];
/* name of a parameter => key of a string in $values that fits the parameter */
const NAMED = ['encoding' => 'encoding', 'to_encoding' => 'encoding', 'from_encoding' => 'encoding', 'algo' => 'algorithm', 'pattern' => 'pattern', 'type' => 'type', 'filter_name' => 'filter', 'json' => 'json', 'data' => 'serialized', 'format' => 'format', 'name' => 'constant', 'class' => 'class'];
/* Only the sign of these results is defined. The number depends on the C library, the processor and the addresses. */
const SIGNS = ['strcmp', 'strncmp', 'strcasecmp', 'strncasecmp', 'strcoll', 'strnatcmp', 'strnatcasecmp', 'substr_compare'];
/* If a callback throws, these functions of PHP leak memory. A debug build of PHP reports the leak. */
const LEAKS = ['array_filter', 'call_user_func_array'];
const LEFT_OUT = [
    'run programs, reach the network, end' => 'exec system passthru shell_exec proc_open popen mail mb_send_mail gethostbyaddr gethostbyname gethostbynamel dns_check_record checkdnsrr dns_get_record dns_get_mx getmxrr fsockopen pfsockopen stream_socket_client stream_socket_server stream_select get_headers error_log syslog openlog dl exit die',
    'change files' => 'fopen unlink rename copy symlink link mkdir rmdir touch chmod chown chgrp lchown lchgrp tempnam file_put_contents move_uploaded_file chdir chroot',
    'differ from call to call' => 'uniqid password_hash debug_zval_dump spl_object_id spl_object_hash php_uname getopt get_cfg_var disk_free_space diskfreespace disk_total_space get_defined_constants get_resources get_resource_id',
    'change the process for later calls' => 'register_shutdown_function register_tick_function ob_start output_add_rewrite_var header header_remove setcookie setrawcookie ini_set ini_alter ini_restore set_include_path putenv setlocale assert assert_options stream_wrapper_register stream_register_wrapper stream_wrapper_unregister stream_wrapper_restore stream_filter_register stream_context_set_default spl_autoload_register spl_autoload_unregister spl_autoload_extensions mb_internal_encoding mb_http_output mb_language mb_substitute_character mb_detect_order mb_regex_encoding mb_regex_set_options mb_ereg_search_init mb_ereg_search_setpos cli_set_process_title define class_alias set_error_handler set_exception_handler error_reporting',
];

$text = str_repeat('The quick brown fox; ', 30);
$values = [
    'string' => [
        'text' => $text, 'utf8' => str_repeat('Grüße, Ωμέγα ✓ ', 20), 'binary' => str_repeat("\0\x80\xff", 100), 'number' => '1234', 'long number' => str_repeat('123', 50), 'float' => ' 12.5e1', 'html' => str_repeat('<p class="x">&amp; text</p>', 9),
        'csv' => "a,\"b c\",d\ne;f", 'pattern' => '/o(?<name>.)\w?/', 'unicode pattern' => '/\p{L}+(*MARK:m)/u', 'json' => '{"a":[1,2.5,{"b":"\u00e9"}],"c":null,"long":"' . $text . '"}', 'serialized' => serialize([1, 'x' => [$text]]), 'format' => '%s|%2$05d|%1$-10.5s', 'encoding' => 'UTF-8', 'encodings' => 'ASCII,ISO-8859-1', 'algorithm' => 'sha256', 'filter' => 'string.rot13',
        'class' => 'ArrayIterator', 'function' => 'count', 'key' => 'x', 'one' => 'o', 'type' => 'array', 'constant' => 'PHP_VERSION', 'empty' => '', 'query' => 'a[]=1&a[]=2&b[x]=y&' . str_repeat('z', 100), 'url' => 'https://user:pass@example.com:8080/path/file.tar.gz?q[]=1#top', 'path' => '/no/such/directory/' . str_repeat('d', 80) . '.php', 'base64' => base64_encode($text), 'ini' => "a=1\n[s]\nb[]=x\nc=\"$text\"", 'hex' => bin2hex($text), 'version' => '8.2.1-rc1', 'address' => '192.168.0.1', 'pack' => 'nvc*',
    ],
    'array' => [
        'list' => [3, 1, 2, 3, 1], 'strings' => ['b', 'a', 'C', 'a', '10', '9', $text], 'hash' => ['x' => 1, 'y' => 'two', 'z' => 3.5, 4 => null, 'o' => true], 'rows' => [['id' => 3, 'x' => 'c'], ['id' => 1, 'x' => 'a'], ['id' => 2, 'x' => 'b', 'o' => 1]], 'nested' => ['x' => ['b' => ['c' => 1]], 'd' => [1, [2, [3, $text]]]],
        'pairs' => ['fox' => 'dog', 'The' => 'a', 'o' => '0'], 'patterns' => ['/o(.)/', '/\s+/'], 'callbacks' => ['/o(.)/' => 'serialize', '/q/' => 'count'], 'empty' => [], 'one' => ['x' => $text], 'ints' => [5 => 10, 2 => 20, -3 => 30], 'parts' => ['scheme' => 'http', 'path' => [1, ['a' => 'b']]], 'encodings' => ['UTF-8', 'ISO-8859-1'], 'map' => [0x80, 0x10ffff, 0, 0x1fffff], 'options' => ['http' => ['header' => ['x' => $text]]], 'mixed' => [1, 'a' => 1.5, 'b' => [true, null], 'c' => $text],
    ],
];
/* Add arrays that no literal can make: one with holes, and one with a moved pointer. */
$values['array']['holes'] = range(0, 12); unset($values['array']['holes'][2], $values['array']['holes'][5]);
$values['array']['moved'] = ['a' => 1, 'b' => 'x', 'c' => [2]]; next($values['array']['moved']);
VolatileCache::set('all', $values);

$left_out = array_flip(explode(' ', implode(' ', LEFT_OUT)));
$compare = fn(...$a) => isset($a[1]) ? serialize($a[0]) <=> serialize($a[1]) : strlen(serialize($a[0])) % 3 > 0;
$write = function (&$value, $more = null) { $value = 'written over ' . gettype($value); return 1; };

/* Copies an array. Like a fetched array, the copy lies on the heap, has the reference count 1, and points to its first element. */
function ordinary($value)
{
    if (!is_array($value)) return is_string($value) ? strrev(strrev($value)) : $value;
    $copy = [];
    foreach ($value as $key => $element) $copy[$key] = ordinary($element);
    return $copy;
}

/* Returns possible arguments for a parameter, as functions. Each function gets a copy of $values, and returns one argument. */
function candidates(ReflectionParameter $parameter): array
{
    global $values, $compare, $write;
    $found = [];
    $type = $parameter->getType();
    $types = $type === null ? ['untyped'] : array_map('strval', $type instanceof ReflectionUnionType ? $type->getTypes() : [$type]);
    foreach ($types as $name) {
        $name = ltrim($name, '?');
        if (in_array($name, ['string', 'mixed', 'untyped'], true)) foreach ($values['string'] as $key => $_) $found[] = fn($v) => $v['string'][$key];
        if (in_array($name, ['array', 'iterable', 'mixed', 'untyped'], true)) foreach ($values['array'] as $key => $_) $found[] = fn($v) => $v['array'][$key];
        if ($name === 'HashContext') $found[] = fn($v) => hash_init($v['string']['algorithm']);
        if ($name === 'untyped' && str_contains($parameter->name, 'context')) $found[] = fn($v) => stream_context_create($v['array']['options']);
        if ($name === 'untyped' && in_array($parameter->name, STREAMS, true)) array_push($found, ...array_fill(0, 100, fn($v) => stream($v['string']['text'])));
        if (in_array($name, ['callable', 'mixed'], true) || $parameter->name === 'rest') array_push($found, fn() => $compare, fn() => $write, fn($v) => $v['string']['function']);
        if (in_array($name, ['int', 'mixed'], true)) foreach ([0, 1, 2, -1, 3, 64] as $n) $found[] = fn() => $n;
        if (in_array($name, ['float', 'mixed'], true)) array_push($found, fn() => 1.5, fn() => -3.0);
        if (in_array($name, ['bool', 'mixed'], true)) array_push($found, fn() => true, fn() => false);
        if (in_array($name, ['object', 'Traversable', 'Iterator', 'mixed'], true)) array_push($found, fn($v) => new ArrayIterator($v['array']['mixed']), fn($v) => new ArrayIterator($v['array']['rows']));
    }
    if (isset(NAMED[$parameter->name]) && $found) array_push($found, ...array_fill(0, count($found), fn($v) => $v['string'][NAMED[$parameter->name]]));
    if ($parameter->name === 'rest') array_push($found, ...array_fill(0, 20, fn() => $compare), ...array_fill(0, 20, fn($v) => $v['array']['strings']));
    if ($type?->allowsNull() && $found) $found[] = fn() => null;
    return $found;
}

function stream(string $text)
{
    $stream = fopen('php://memory', 'w+');
    fwrite($stream, $text);
    fseek($stream, strlen($text) - 40);
    return $stream;
}

function describe($value, int $depth = 0): string
{
    if (is_resource($value)) return get_resource_type($value) === 'stream' && stream_get_meta_data($value)['seekable'] ? 'stream at ' . ftell($value) . ' of ' . stream_get_contents($value, -1, 0) : get_resource_type($value);
    if (is_array($value)) return count($value) . '[' . implode(',', array_map(fn($k, $v) => var_export($k, true) . '=>' . describe($v, $depth + 1), array_keys($value), $value)) . ']' . var_export(key($value), true);
    if ($value instanceof Closure) return 'closure';
    if (is_object($value)) return get_class($value) . ($depth < 5 ? describe((array) $value, $depth + 1) : '');
    return gettype($value) . ':' . (is_string($value) ? strlen($value) . ":$value" : serialize($value));
}

/* Returns all visible effects of a call. $answered becomes true if the function accepted the arguments. */
function outcome(string $function, array $makers, array $source, ?bool &$answered): string
{
    mt_srand(7);
    strtok('begin anew', ' ');
    $warnings = [];
    $arguments = array_map(fn($make) => $make($source), $makers);
    set_error_handler(function ($no, $message) use (&$warnings) { $warnings[] = $message; return true; });
    ob_start();
    try {
        $result = $function(...$arguments);
        $result = describe(in_array($function, SIGNS, true) && is_int($result) ? $result <=> 0 : $result);
        $answered = true;
    } catch (Throwable $e) {
        $result = get_class($e) . $e->getMessage();
    }
    $printed = preg_replace('/#\d+ /', '# ', ob_get_clean());
    restore_error_handler();
    $result = implode("\n", [$result, $printed, ...$warnings, ...array_map('describe', $arguments)]);
    foreach ($arguments as $argument) if (is_resource($argument) && get_resource_type($argument) === 'stream') fclose($argument);
    return $result;
}

$count = ['functions' => 0, 'answered' => 0, 'calls' => 0, 'wrong' => 0];
foreach (EXTENSIONS as $extension) {
    foreach (extension_loaded($extension) ? get_extension_funcs($extension) : [] as $function) {
        $parameters = (new ReflectionFunction($function))->getParameters();
        $choices = array_map('candidates', $parameters);
        $types = implode('|', array_map(fn($p) => $p->getType() ?? 'mixed', $parameters));
        if (PHP_DEBUG && in_array($function, LEAKS, true)) continue;
        if (isset($left_out[$function]) || !preg_match('/array|string|mixed|iterable|Traversable/', $types)) continue;
        $required = (new ReflectionFunction($function))->getNumberOfRequiredParameters();
        $variadic = $parameters && end($parameters)->isVariadic();
        $usable = count(array_filter(array_slice($choices, 0, $required))) === $required;
        if (!$usable) continue;
        $count['functions']++;
        $any = false;
        for ($call = 0; $call < CALLS; $call++) {
            mt_srand(crc32("$function $call"));
            $makers = [];
            $n = mt_rand(max($required, 1), max($required, count($parameters) + ($variadic ? 2 : 0)));
            for ($i = 0; $i < $n && ($from = $choices[min($i, count($choices) - 1)]); $i++) $makers[] = $from[mt_rand(0, count($from) - 1)];
            $ordinary = outcome($function, $makers, ordinary($values), $answered);
            $fetched = outcome($function, $makers, VolatileCache::get('all'), $unused);
            $any = $any || $answered;
            $answered = false;
            $count['calls']++;
            if ($ordinary !== $fetched) {
                echo "$function, call $call: ", substr($fetched, 0, 300), "\ninstead of ", substr($ordinary, 0, 300), "\n";
                $count['wrong']++;
                break;
            }
            if (VolatileCache::get('all') !== $values) {
                echo "$function, call $call changed the cache\n";
                $count['wrong']++;
                break 3;
            }
        }
        if ($any) $count['answered']++; elseif (getenv('LARDER_SHOW')) echo "$function: every call was refused\n";
    }
}
if (getenv('LARDER_SHOW')) echo json_encode($count), "\n";
echo $count['functions'] > 350 && $count['answered'] > 300 ? 'hundreds of functions' : json_encode($count), ", $count[wrong] differ\n";
--EXPECT--
hundreds of functions, 0 differ
