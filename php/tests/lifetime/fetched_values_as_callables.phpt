--TEST--
larder: lifetime: fetched strings and arrays as callables that PHP keeps until the request is over
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/places.inc';

/* The names are so long that each is stored as a separate string. */
$class = 'LarderCallbacks' . str_repeat('C', 80);
$values = ['class' => $class, 'function' => $class . '_function', 'method' => "$class::told", 'header' => [$class, 'header'], 'finish' => [$class, 'finish'], 'compare' => [$class, 'compare'], 'accept' => [$class, 'accept'], 'buffer' => [$class, 'buffer'], 'load' => [$class, 'load'], 'fail' => [$class, 'fail'], 'throw' => [$class, 'caught'], 'tick' => [$class, 'tick'], 'session' => [$class, 'session'], 'argument' => ['a' => [str_repeat('arg', 50)]], 'assert' => [$class, 'assert']];
$declare = <<<X
    class $class {
        public static \$told = 0; public \$context;
        static function told(...\$a) { self::\$told++; return \$a[0] ?? true; }
        static function header() { header('X-Larder: called'); }
        static function finish(\$a) { echo ' finished with ', md5(serialize(\$a)); }
        static function compare(\$a, \$b) { return strcmp(serialize(\$a), serialize(\$b)); }
        static function accept(\$v) { return is_array(\$v) || \$v !== ""; }
        static function buffer(\$text) { return "[\$text]"; }
        static function load(\$name) { echo "load \$name "; }
        static function fail(\$no, \$text) { echo "error \$text "; return true; }
        static function caught(\$e) { echo 'caught ', \$e->getMessage(); }
        static function tick(\$a) { self::\$told += count(\$a); }
        static function assert(...\$a) { echo 'assert '; }
        static function open(\$p, \$n) { return true; } static function close() { return true; } static function read(\$i) { return ''; } static function write(\$i, \$d) { return strlen(\$d) > 0; } static function destroy(\$i) { return true; } static function gc(\$m) { return 1; }
        function stream_open(\$path) { \$this->path = \$path; return true; } function stream_read(\$n) { return ''; } function stream_eof() { return true; } function stream_stat() { return []; } public \$path;
    }
    function {$class}_function(...\$a) { return count(\$a); }

    X;
$places = [
    'shutdown function' => 'register_shutdown_function($v["finish"], $v["argument"]); register_shutdown_function($v["method"]); echo "begun";',
    'error handler' => 'set_error_handler($v["fail"]); trigger_error($v["class"]); restore_error_handler(); set_error_handler($v["fail"]); set_error_handler($v["method"]); echo $undefined;',
    'exception handler' => 'set_exception_handler($v["throw"]); throw new Exception($v["class"]);',
    'exception' => 'try { throw new ErrorException($v["class"], 0, E_WARNING, $v["function"], 7); } catch (Exception $e) { $GLOBALS["kept"] = $e; echo $e->getMessage(), $e->getFile(), strlen($e->getTraceAsString()) > 0; }',
    'autoloader' => 'spl_autoload_register($v["load"]); echo class_exists($v["function"]) ? "yes" : "no", class_exists("Larder\\None") ? "yes" : "no", count(spl_autoload_functions());',
    'output buffer' => 'ob_start($v["buffer"]); echo "text"; ob_start($v["method"]); echo "inner"; ob_list_handlers();',
    'header callback' => 'header_register_callback($v["header"]); header("X-Other: " . $v["class"]); header($v["class"] . ": 1"); setcookie($v["class"], $v["function"]); echo "body";',
    'ticks' => 'eval("declare(ticks=1) { register_tick_function(\$v[\"tick\"], \$v[\"argument\"]); \$x = 1; \$x = 2; }"); echo ' . $class . '::$told > 1 ? "ticked" : "none";',
    'assertions' => 'assert_options(ASSERT_CALLBACK, $v["assert"]); assert_options(ASSERT_ACTIVE, 1); assert_options(ASSERT_EXCEPTION, 0); assert_options(ASSERT_WARNING, 0); @assert($v === 1, $v["class"]); echo "asserted";',
    'called' => 'echo call_user_func($v["method"], $v["class"]), call_user_func_array($v["compare"], [1, 2]), $v["function"](1, 2, 3), $v["compare"](2, 1), Closure::fromCallable($v["method"])($v["class"]), is_callable($v["load"], false, $name), $name, (new ReflectionMethod($v["method"]))->invoke(null, 5), array_map($v["method"], [1, 2])[1]; usort($v["argument"], $v["compare"]); $GLOBALS["c"] = Closure::fromCallable($v["compare"]);',
    'first class callable' => 'static $keep; $keep = $v["method"](...); echo $keep($v["class"]); $GLOBALS["n"] = new $v["class"];',
    'session handlers' => '@session_set_save_handler([$v["class"], "open"], [$v["class"], "close"], [$v["class"], "read"], [$v["class"], "write"], [$v["class"], "destroy"], [$v["class"], "gc"]); session_id("x"); session_start(["use_cookies" => 0, "cache_limiter" => ""]); $_SESSION["v"] = $v; echo session_status();',
    'stream wrapper' => 'stream_wrapper_register($v["class"], $v["class"]); $GLOBALS["h"] = fopen($v["class"] . "://" . $v["function"], "r"); echo stream_get_contents($GLOBALS["h"]), stream_get_meta_data($GLOBALS["h"])["uri"]; stream_wrapper_unregister("ftp"); stream_wrapper_unregister("data"); stream_wrapper_restore("ftp");',
    'stream context' => '$GLOBALS["c"] = stream_context_create([$v["class"] => $v, "http" => $v["argument"]], ["notification" => $v["method"]]); stream_context_set_option($GLOBALS["c"], $v["class"], $v["function"], $v); $f = fopen("php://memory", "r+", false, $GLOBALS["c"]); fwrite($f, $v["class"]); rewind($f); echo stream_get_contents($f), count(stream_context_get_params($GLOBALS["c"])["options"]);',
    'generator' => 'function g($v) { yield from $v; } $GLOBALS["g"] = g($v); echo $GLOBALS["g"]->current(); $GLOBALS["f"] = new Fiber(function () use ($v) { $x = Fiber::suspend($v["class"]); }); echo $GLOBALS["f"]->start();',
    'iterators' => '$GLOBALS["i"] = new CallbackFilterIterator(new ArrayIterator($v), $v["accept"]); foreach ($GLOBALS["i"] as $k => $x) { echo $k; break; } $GLOBALS["o"] = new ArrayObject($v); $GLOBALS["s"] = SplFixedArray::fromArray(array_values($v)); $GLOBALS["w"] = new WeakMap; $GLOBALS["w"][$GLOBALS["o"]] = $v;',
    'signals' => 'if (function_exists("pcntl_signal")) { pcntl_signal(SIGUSR1, $v["method"]); pcntl_signal(SIGALRM, $v["function"]); pcntl_alarm(60); pcntl_signal_dispatch(); pcntl_async_signals(true); } echo "signalled";',
    'callback of PCRE' => 'echo preg_replace_callback("/" . $v["class"] . "/", fn($m) => "x", $v["function"]), preg_replace_callback_array(["/L(?<n>arder)/" => fn($m) => $m["n"]], $v["class"]), implode(",", array_keys(preg_match("/(?<name>C+)/", $v["class"], $m) ? $m : []));',
];
places($values, array_map(fn($place) => $declare . $place, $places));
--EXPECT--
all fine
