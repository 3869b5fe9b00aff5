--TEST--
larder: string: string, PCRE, mbstring and JSON functions do the same to fetched strings, and never change the cache
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$strings = ['text' => str_repeat('The quick brown fox; ', 30), 'utf8' => str_repeat('Grüße, Ωμέγα ✓ ', 30), 'binary' => str_repeat("\0\x80\xff", 200), 'number' => str_repeat('1234567', 60), 'csv' => str_repeat("a,\"b c\",d\n", 60), 'html' => str_repeat('<p class="x">&amp; text</p>', 20)];
$functions = [
    'trim' => fn($s) => trim($s, 'T ;'), 'upper' => fn($s) => strtoupper($s), 'lower' => fn($s) => strtolower($s), 'ucfirst' => fn($s) => ucfirst($s), 'lcfirst' => fn($s) => lcfirst($s), 'ucwords' => fn($s) => ucwords($s), 'rev' => fn($s) => strrev($s), 'pos' => fn($s) => [strpos($s, 'fox'), strrpos($s, 'x'), stripos($s, 'FOX'), strstr($s, 'q'), strrchr($s, 'f')],
    'replace' => fn($s) => str_replace('o', '0', $s), 'ireplace' => fn($s) => str_ireplace('THE', 'a', $s), 'noreplace' => fn($s) => str_replace('not there', '', $s), 'substr' => fn($s) => substr($s, 10, 300), 'whole' => fn($s) => substr($s, 0), 'substr_replace' => fn($s) => substr_replace($s, 'zz', 3, 5), 'pad' => fn($s) => str_pad($s, 3000, '-'), 'repeat' => fn($s) => str_repeat($s, 3), 'split' => fn($s) => str_split($s, 7), 'explode' => fn($s) => explode(' ', $s), 'implode' => fn($s) => implode(',', [$s, $s]),
    'tr' => fn($s) => strtr($s, 'abc', 'xyz'), 'tr2' => fn($s) => strtr($s, ['fox' => 'dog']), 'wordwrap' => fn($s) => wordwrap($s, 40), 'nl2br' => fn($s) => nl2br($s), 'addslashes' => fn($s) => addslashes($s), 'strip' => fn($s) => stripslashes($s), 'cslashes' => fn($s) => addcslashes($s, "\0..\37"), 'html' => fn($s) => htmlspecialchars($s), 'decode' => fn($s) => html_entity_decode($s), 'tags' => fn($s) => strip_tags($s), 'quoted' => fn($s) => quoted_printable_encode($s), 'url' => fn($s) => rawurlencode($s), 'base64' => fn($s) => base64_encode($s), 'hex' => fn($s) => bin2hex($s),
    'md5' => fn($s) => md5($s) . sha1($s) . crc32($s) . hash('xxh3', $s), 'count' => fn($s) => count_chars($s, 1), 'words' => fn($s) => str_word_count($s, 1), 'similar' => fn($s) => similar_text($s, 'The quick'), 'metaphone' => fn($s) => metaphone(substr($s, 0, 300)), 'sscanf' => fn($s) => sscanf($s, '%s %s'), 'printf' => fn($s) => sprintf('%s|%-10.5s', $s, $s), 'pack' => fn($s) => unpack('C5', $s), 'cmp' => fn($s) => [$s <=> 'T', strcasecmp($s, 'the'), strnatcmp($s, 'x'), $s == 0], 'csv' => fn($s) => str_getcsv($s), 'parse' => function ($s) { parse_str($s, $r); return $r; }, 'numeric' => fn($s) => [is_numeric($s), (int) $s, (float) $s], 'chunk' => fn($s) => chunk_split($s, 76), 'soundex' => fn($s) => soundex($s), 'nl' => fn($s) => substr_count($s, ' '), 'index' => fn($s) => $s[0] . $s[-1] . $s[5], 'offset' => function ($s) { $s[3] = 'Q'; return $s; }, 'concat' => fn($s) => $s . $s . 1, 'interp' => fn($s) => "[$s]", 'increment' => function ($s) { @$s++; return $s; },
    'match' => function ($s) { preg_match_all('/\w+/', $s, $m, PREG_OFFSET_CAPTURE); return $m; }, 'preg' => fn($s) => preg_replace('/o(.)/', '$1$1', $s), 'pregu' => fn($s) => preg_replace('/\p{L}+/u', 'x', $s), 'callback' => fn($s) => preg_replace_callback('/x/', fn($m) => '!', $s), 'pregsplit' => fn($s) => preg_split('/[ ;,]+/', $s), 'quote' => fn($s) => preg_quote($s), 'grep' => fn($s) => preg_grep('/x/', [$s]), 'preg twice' => fn($s) => [preg_match('/^./u', $s), preg_match('/.$/u', $s), preg_last_error()], 'named' => function ($s) { preg_match('/(?<first>\w+)/', $s, $m); return $m; },
    'json' => fn($s) => json_encode($s, JSON_PARTIAL_OUTPUT_ON_ERROR), 'serialize' => fn($s) => unserialize(serialize($s)), 'export' => fn($s) => var_export($s, true), 'uniq' => fn($s) => array_unique([$s, $s]), 'flip' => fn($s) => array_flip([$s]), 'switch' => fn($s) => match (true) { str_contains($s, 'fox') => 1, str_starts_with($s, 'G') => 2, default => 3 }, 'crypt' => fn($s) => hash_hmac('sha256', $s, $s), 'iconv' => fn($s) => utf8_encode($s), 'lev' => fn($s) => levenshtein(substr($s, 0, 50), 'fox'), 'heredoc' => fn($s) => strlen(<<<X
      {$s}
      X), 'intern' => function ($s) { $a = []; $a[$s] = 1; foreach ($a as $k => $v) return $k; },
];
if (extension_loaded('mbstring')) $functions += ['mb_strlen' => fn($s) => mb_strlen($s), 'mb_upper' => fn($s) => mb_strtoupper($s), 'mb_substr' => fn($s) => mb_substr($s, 2, 50), 'mb_pos' => fn($s) => mb_strpos($s, 'Ω'), 'mb_check' => fn($s) => mb_check_encoding($s, 'UTF-8'), 'mb_convert' => fn($s) => mb_convert_encoding($s, 'UTF-16', 'UTF-8'), 'mb_split' => fn($s) => mb_str_split($s), 'mb_width' => fn($s) => mb_strimwidth($s, 0, 20, '…'), 'mb_detect' => fn($s) => mb_detect_encoding($s, ['UTF-8', 'ISO-8859-1'], true), 'mb_scrub' => fn($s) => mb_scrub($s)];
$failed = 0;
$outcome = function ($f, $s) { try { return serialize(@$f($s)); } catch (Throwable $e) { return get_class($e) . $e->getMessage(); } };
foreach ($strings as $sn => $s) {
    VolatileCache::set('k', $s);
    foreach ($functions as $fn => $f) {
        if ($outcome($f, $s) !== $outcome($f, VolatileCache::get('k'))) { echo "$fn of $sn differs\n"; $failed++; }
        if (VolatileCache::get('k') !== $s) { echo "$fn of $sn changed the cache\n"; $failed++; }
    }
}
echo count($functions) * count($strings) > 400 ? 'over 400 compared' : 'too few', ", $failed differ\n";
--EXPECT--
over 400 compared, 0 differ
