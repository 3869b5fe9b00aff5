--TEST--
larder: lifetime: fetched strings as settings of PHP
--EXTENSIONS--
larder
mbstring
session
--FILE--
<?php
require __DIR__ . '/places.inc';

$texts = ['user_agent', 'error_prepend_string', 'error_append_string', 'docref_root', 'from', 'arg_separator.output', 'highlight.string', 'unserialize_callback_func', 'session.cookie_path', 'session.cache_limiter', 'default_mimetype', 'assert.callback', 'url_rewriter.tags', 'include_path', 'session.save_path', 'error_log'];
$values = ['dir' => sys_get_temp_dir() . str_repeat('/.', 60), 'zone' => 'Europe/Berlin', 'charset' => 'UTF-8', 'latin' => 'ISO-8859-1', 'locale' => 'C', 'locales' => ['C.UTF-8', 'C'], 'env' => 'LARDER_TEST=' . str_repeat('v', 200), 'name' => 'LARDER' . str_repeat('N', 100), 'id' => str_repeat('a', 32), 'limit' => '200M', 'number' => '12', 'lang' => 'uni', 'order' => 'ASCII, UTF-8', 'exts' => '.larder,.php', 'cookie' => ['lifetime' => '0', 'path' => '/larder', 'samesite' => 'Lax']];
foreach ($texts as $name) $values['ini'][$name] = "larder-$name-" . str_repeat('t', 100);
places($values, [
    'text directives' => <<<'X'
        foreach ($v['ini'] as $name => $value) { $before[] = ini_get($name); ini_set($name, $value); }
        foreach ($v['ini'] as $name => $value) { $after[] = ini_get($name) === $value; }
        echo json_encode([$before, $after, http_build_query(['a' => 1, 'b' => 2]) === 'a=1' . $v['ini']['arg_separator.output'] . 'b=2']);
        X,
    'restored directives' => 'ini_set("user_agent", $v["ini"]["user_agent"]); ini_restore("user_agent"); ini_set("from", $v["name"]); echo json_encode([ini_get("user_agent"), count(ini_get_all()) > 50, get_cfg_var("from")]);',
    'numbers' => 'echo ini_get("precision"), ini_set("precision", $v["number"]), 1 / 3, ini_set("memory_limit", $v["limit"]), ini_get("memory_limit"), ini_set("pcre.backtrack_limit", $v["number"]), ini_set("serialize_precision", $v["number"]), json_encode(1 / 3);',
    'time zone' => 'echo date_default_timezone_get(), date_default_timezone_set($v["zone"]), date("e", 0), (new DateTimeZone($v["zone"]))->getName(), ini_set("date.timezone", $v["zone"]), date_default_timezone_get();',
    'locale' => 'echo setlocale(LC_ALL, 0), setlocale(LC_ALL, $v["locales"]), setlocale(LC_CTYPE, $v["locale"]), preg_match("/\w/", "x");',
    'environment' => 'echo getenv("LARDER_TEST") === false ? "none" : "left over", putenv($v["env"]), strlen(getenv("LARDER_TEST"));',
    'environment, unset' => 'putenv($v["env"]); putenv("LARDER_TEST"); putenv($v["env"]); echo strlen(getenv("LARDER_TEST"));',
    'mbstring' => 'echo mb_internal_encoding(), mb_internal_encoding($v["latin"]), function_exists("mb_regex_encoding") ? mb_regex_encoding($v["charset"]) . mb_ereg_replace("x", "y", "x") : "", mb_strlen("ß"), mb_convert_encoding("ß", $v["latin"], $v["charset"]) === "\xdf", mb_strtoupper("ß", $v["charset"]), mb_language($v["lang"]), mb_detect_order($v["order"]), mb_substitute_character(), mb_http_output($v["charset"]), ini_set("mbstring.detect_order", $v["order"]);',
    'encodings' => 'echo ini_get("default_charset"), ini_set("default_charset", $v["latin"]), ini_set("internal_encoding", $v["latin"]), htmlspecialchars("\xe9", ENT_QUOTES, $v["latin"]) === "\xe9", htmlentities("\xe9") === "&eacute;";',
    'include path' => 'echo get_include_path(), set_include_path($v["dir"]) === get_include_path(), strlen(get_include_path()), @include "no-such-file.inc", stream_resolve_include_path("index.php") === __DIR__ . "/index.php";',
    'base directory' => 'ini_set("open_basedir", $v["dir"]); echo strlen(ini_get("open_basedir")), is_dir($v["dir"]);',
    'error log' => 'ini_set("error_log", __DIR__ . "/errors"); error_log($v["name"]); ini_set("error_log", $v["dir"] . "/larder-none/x"); @trigger_error($v["name"]); echo error_get_last()["message"], strlen(file_get_contents(__DIR__ . "/errors")) > 100, strlen(ini_get("error_log")) > 100;',
    'session' => 'session_name($v["name"]); session_id($v["id"]); session_save_path(__DIR__); session_cache_limiter("nocache"); session_set_cookie_params($v["cookie"]); ob_start(); session_start(); $_SESSION[$v["name"]] = $v; echo session_name(), session_id(), session_encode() === $v["name"] . "|" . serialize($v), session_get_cookie_params()["path"]; session_regenerate_id(); session_write_close(); array_map("unlink", glob(__DIR__ . "/sess_*"));',
    'autoload extensions' => 'echo spl_autoload_extensions(); spl_autoload_extensions($v["exts"]); spl_autoload_register(); echo class_exists("Larder\\NoSuchClass") ? "exists" : "none", spl_autoload_extensions();',
    'stat cache' => 'echo is_dir($v["dir"]) && is_dir($v["dir"]) && !is_link($v["dir"]) && fileperms($v["dir"]) > 0 && is_writable($v["dir"]) ? "fine" : "wrong"; chdir($v["dir"]); touch(__DIR__ . "/touched"); realpath($v["dir"]);',
    'syslog' => 'openlog($v["name"], 0, LOG_USER); closelog(); openlog($v["name"], 0, LOG_USER); echo "fine";',
    'stream defaults' => 'stream_context_set_default(["http" => ["user_agent" => $v["name"], "header" => [$v["ini"]["from"]]], "ssl" => ["cafile" => $v["dir"], "peer_name" => $v["name"]]]); echo json_encode(stream_context_get_options(stream_context_get_default())); if (function_exists("libxml_set_streams_context")) libxml_set_streams_context(stream_context_get_default());',
], 'extension=mbstring session.use_strict_mode=0 session.cache_limiter=');
--EXPECT--
all fine
