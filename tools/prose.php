<?php
/* Find prose that has to be read twice: the five habits in HABITS, and sentences of more than 35 words. Comments, messages, test titles,
 * documents and the menu of make are read.
 *   php tools/prose.php [FILE ...]           prints each finding in these files, or in all; exit code 1 if there is one
 *   php tools/prose.php --sample N --seed S  prints N comments, drawn at random by the seed, for a reader to judge
 *   php tools/prose.php --control            looks for planted bad sentences, each of which must be found */

const WORDS = 35;

/* words in the patterns of HABITS */
const PEOPLE = 'users?|people|programmers?|persons?|operators?|developers?|administrators?|contributors?|maintainers?|authors?|attackers?|anyone|everyone|readers? of this';
const DONE = 'done|made|built|written|read|taken|freed|moved|removed|created|evicted|called|stored|told|copied|opened|closed';
/* Habits of style that texts must avoid. A key names the habit, and says what to write instead. Its patterns find the habit in a sentence. */
const HABITS = [
    'a clause as the subject: name the thing' => [
        '/^\W*(?:What|Whatever|Which|Whether)\b(?!.*\?\W*$)(?:\W+\w+){3}/',
        '/(?:[;:]|\b(?:because|since|so that|and that|but)) (?:what|whatever|whoever) (?:is|was|are|were|has|had|it|they|we|others|nobody|a|the)\b/',
    ],
    'a person for code: write the caller, a reader, a waiter, another process' => [
        '/\bwhoever\b|\bthose (?:who|which|that)\b|\b(?:nobody|somebody|everybody)\b/i',
        '/(?<!->)\bwho\b(?! it is for)(?!.*\?\W*$)/',
    ],
    'a borrowed idiom: write is available, calls, commits' => [
        '/\b(?:is|are|was|were) to be\b|\bto be had\b|\bgets? (?:its |their )?memory\b/',
        '/\b(?:has|have|had) (?:it|them|itself|(?:the|a|an|its|their) \w+) (?:' . DONE . ')\b(?! (?:by|from|in|with|of|at|to)\b)/',
    ],
    'a sentence continued from another comment: repeat the subject' => [
        '/^\W*(?:The same|the same)(?:[,:;.]| but\b| for\b| of\b| with\b| in\b|$)/',
        '/^\W*(?:As above|as above|As before|Likewise|Ditto|As \w+\(\),)/',
        '/^\.\.\. ?[a-z]|^(?:and|but|or)\W+\w+|\b(?:and|but|or),? ?\.\.\.$/',
    ],
    'an old construction: write n bytes, except, one of the' => [
        '/\bso (?:many|much)\b(?!\s+(?:as|that)\b)|\bbut for\b/i',
        '/^\W*Of (?!course\b)(?:\w+\W+){1,6}?(?:is|are|was|were|has|have|only|one|each|it|does|do|can|may|must)\b/',
    ],
];

/** Return the text of a comment without its comment marks. Keeps the line breaks. */
function bare(string $comment): string
{
    $comment = (string) preg_replace('~^/\*+ ?|\s*\*+/$~', '', $comment);
    $marked = (string) preg_replace('~^[ \t]*(?://+!?|\*|#+)(?: |$)~m', '', $comment);
    $comment = $marked === $comment ? (string) preg_replace('/\n[ \t]+/', "\n", $comment) : $marked;
    return (string) preg_replace('/^[ \t]*@(?:param|return|var|throws|phpstan-\S+|template\S*|implements|extends|internal|method|property|deprecated|see|type|option|api)\b.*$/m', '', $comment);
}

/**
 * If the string is a page with a script, return the comments and strings of the script. Otherwise, return the string as one message.
 * @return list<array{int, string, string}> the number of lines before the text, "comment" or "message", the text
 */
function texts_of_string(string $string): array
{
    if (!preg_match('~<script\b[^>]*>(.*?)</script>~s', $string, $script, PREG_OFFSET_CAPTURE)) {
        return [[0, 'message', trim($string, '\'"')]];
    }
    preg_match_all('~/\*.*?\*/|//[^\n]*|\'(?:[^\'\\\\\n]|\\\\.)*\'~s', $script[1][0], $found, PREG_OFFSET_CAPTURE);
    return array_map(static fn(array $part): array => [
        substr_count($string, "\n", 0, $script[1][1] + $part[1]), $part[0][0] === '/' ? 'comment' : 'message', trim($part[0], '\''),
    ], $found[0]);
}

/**
 * Returns comments and long string literals: of C and Ruby by pattern, of PHP by its tokenizer.
 * @return list<array{int, string, string}> the line, "comment" or "message", the text
 */
function texts_of_code(string $file, string $text): array
{
    $texts = [];
    $add = static function (int $at, string $kind, string $found) use (&$texts, $text): void {
        $texts[] = [substr_count($text, "\n", 0, $at) + 1, $kind, $found];
    };
    if (str_ends_with($file, '.php')) {
        foreach (PhpToken::tokenize($text) as $token) {
            if ($token->is([T_COMMENT, T_DOC_COMMENT])) {
                $last = count($texts) - 1;
                if (str_starts_with($token->text, '//') && $last >= 0 && $texts[$last][1] === 'comment'
                    && str_starts_with($texts[$last][2], '//') && $token->line === $texts[$last][0] + substr_count($texts[$last][2], "\n") + 1) {
                    $texts[$last][2] .= "\n" . $token->text;
                } else {
                    $texts[] = [$token->line, 'comment', $token->text];
                }
            } elseif ($token->is([T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE, T_INLINE_HTML])) {
                array_push($texts, ...array_map(static fn(array $found): array => [$found[0] + $token->line, $found[1], $found[2]], texts_of_string($token->text)));
            }
        }
    } elseif (preg_match('/\.(rb|rbs|sh|mk)$|Makefile$/', $file)) {
        preg_match_all('/^[ \t]*#(?!!).*(?:\n[ \t]*#.*)*|(?<=\s)# [^\n{]*$/m', $text, $found, PREG_OFFSET_CAPTURE);
        foreach ($found[0] as [$comment, $at]) {
            $add($at, 'comment', $comment);
        }
        if (preg_match('/\.rb$/', $file)) {
            preg_match_all('/(?<!\w)"((?:[^"\\\\\n#]|\\\\.|#\{[^}\n]*\})*)"/', (string) preg_replace_callback('/#(?: .*)?$/m', static fn(array $m): string => str_repeat(' ', strlen($m[0])), $text), $found, PREG_OFFSET_CAPTURE);
        } else {
            preg_match_all('/^[a-z0-9 -]+:.*## ()(.*)$/m', $text, $found, PREG_OFFSET_CAPTURE);
            $found[1] = $found[2];
        }
        foreach ($found[1] as [$message, $at]) {
            $add($at, 'message', $message);
        }
    } else {
        $code = '~/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*|"(?:[^"\\\\\n]|\\\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\\\n]|\\\\.)*")*|\'(?:[^\'\\\\\n]|\\\\.)\'~s';
        preg_match_all($code, $text, $found, PREG_OFFSET_CAPTURE);
        foreach ($found[0] as [$part, $at]) {
            if ($part[0] === '/') {
                $add($at, 'comment', $part);
            } elseif ($part[0] === '"') {
                $add($at, 'message', (string) preg_replace('/"\s*(?:PRI\w+\s*)?"/', '', trim($part, '"')));
            }
        }
    }
    foreach ($texts as [, $kind, &$found]) {
        $found = $kind === 'comment' ? bare($found) : stripcslashes($found);
    }
    return $texts;
}

/** Returns paragraphs, list items, headings and cells of tables, without code. @return list<array{int, string}> the line, the text */
function texts_of_markdown(string $text): array
{
    $blank = static fn(array $match): string => str_repeat("\n", substr_count($match[0], "\n"));
    $text = (string) preg_replace_callback('/^---\n.*?\n---\n|^([ \t]*)(```+|~~~+).*?^\1\2[ \t]*$|<!--.*?-->|^(?: {4}|\t)\S.*$|<[a-z\/][^>]*>/ms', $blank, $text);
    $text = (string) preg_replace('/!?\[([^\]]*)\]\([^)]*\)/', '$1', $text);
    $texts = [];
    $last = -2;
    foreach (explode("\n", $text) as $i => $line) {
        if (trim($line) === '' || preg_match('/^\s*\|?[-:| ]+\|?\s*$/', $line)) {
            $last = -2;
        } elseif (str_starts_with(trim($line), '|')) {
            foreach (explode('|', trim(str_replace('\|', '/', $line), "| \t")) as $cell) {
                $texts[] = [$i + 1, trim($cell)];
            }
            $last = -2;
        } elseif ($last === $i - 1 && !preg_match('/^\s*(?:[-*+>]|\d+\.|#+|(?:throws|return|var|param):)\s/', $line)) {
            $texts[count($texts) - 1][1] .= "\n" . trim($line);
            $last = str_ends_with($line, '  ') ? -2 : $i;
        } else {
            $texts[] = [$i + 1, trim((string) preg_replace('/^\s*(?:(?:[-*+>]|\d+\.|#+)\s+)+/', '', $line))];
            $last = str_starts_with($line, '#') || str_ends_with($line, '  ') ? -2 : $i;
        }
    }
    return $texts;
}

/** @return list<array{int, string, string}> line, kind, text */
function texts(string $file, string $text): array
{
    if (str_ends_with($file, '.md')) {
        return array_map(static fn(array $found): array => [$found[0], 'document', $found[1]], texts_of_markdown($text));
    }
    if (str_ends_with($file, '.phpt')) {
        preg_match('/^--TEST--\n(.*)/', $text, $title);
        $texts = [[2, 'title', $title[1] ?? '']];
        if (preg_match('/^--FILE--\n(.*?)^--[A-Z]+--$/ms', $text, $code, PREG_OFFSET_CAPTURE)) {
            foreach (texts_of_code('test.php', $code[1][0]) as [$line, $kind, $found]) {
                $texts[] = [$line + substr_count($text, "\n", 0, $code[1][1]), $kind, $found];
            }
        }
        return array_values(array_filter($texts, static fn(array $found): bool => $found[1] !== 'message'));
    }
    $texts = texts_of_code($file, $text);
    // Judge strings only in shipped code: strings of tests and tools are data.
    $says = preg_match('~^(?:core/src|php/src|php/[^/]*\.[ch]$|ops/src|packages/[^/]+/(?:src|wordpress)|ruby/(?:lib|ext))|\.mk$|^Makefile$|^planted~', $file);
    return array_values(array_filter($texts, static fn(array $found): bool => $found[1] === 'comment' || ($says && preg_match_all('/[A-Za-z]{2,}/', $found[2]) > 3)));
}

/** @return list<array{int, string}> the sentences of a text, each with the number of lines before it */
function sentences(string $text): array
{
    $sentences = [];
    $line = 0;
    // The lines of a list item belong together.
    $text = (string) preg_replace_callback('/^[ \t]*(?:[-*]|\d+[.)])[ \t].*(?:\n[ \t]+(?![-*][ \t]|\d+[.)][ \t])\S.*)+/m', static fn(array $item): string => (string) preg_replace('/\n[ \t]+/', "\n", $item[0]), $text);
    // A blank line, a list item and a wide gap between columns end a sentence, like a full stop.
    foreach (preg_split('/(\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*]|\d+[.)])[ \t])|\n(?=[ \t]{2,})|(?<=\S) {2,}(?=\S))/', $text, -1, PREG_SPLIT_DELIM_CAPTURE) ?: [] as $part) {
        $at = $line;
        $line += substr_count($part, "\n");
        $part = trim((string) preg_replace('/`[^`]*`/', 'CODE', $part));
        foreach (preg_split('/(?<=[.?!]|[.?!]["\')])\s+(?=["\'(*]*(?:[A-Z0-9_$*]|[a-z]\w*(?:\.[ch]\b|\()))/', $part) ?: [] as $sentence) {
            $lines = substr_count($sentence, "\n");
            $sentence = trim((string) preg_replace('/\s+/', ' ', (string) preg_replace('/^[ \t]*(?:[-*]|\d+[.)])[ \t]+/', '', $sentence)));
            if ($sentence !== '') {
                $sentences[] = [$at, $sentence];
            }
            $at += $lines;
        }
    }
    return $sentences;
}

/** @return list<string> */
function wrong(string $file, string $text): array
{
    $wrong = [];
    foreach (texts($file, $text) as [$line, , $found]) {
        foreach (sentences($found) as [$more, $sentence]) {
            $at = "$file:" . ($line + $more);
            $says = '"' . (strlen($sentence) > 100 ? substr($sentence, 0, 97) . '...' : $sentence) . '"';
            $words = preg_match_all('/(?<!\S)\S*[A-Za-z0-9]\S*/', $sentence);
            if ($words > WORDS) {
                $wrong[] = "$at: a sentence of $words words: $says";
            }
            foreach (HABITS as $habit => $patterns) {
                foreach ($patterns as $pattern) {
                    if (preg_match($pattern, $sentence) && !preg_match('/\b(?:' . PEOPLE . ')(?: \w+)? who\b/i', $sentence)) {
                        $wrong[] = "$at: $habit: $says";
                        break;
                    }
                }
            }
        }
    }
    return $wrong;
}

/** @return list<string> the files whose prose must be plain: all files with prose except generated files, third-party files and fixtures */
function files(): array
{
    exec('git ls-files', $files);
    return array_values(array_filter($files, static fn(string $file): bool => is_file($file)
        && preg_match('~\.(?:[ch]|php|phpt|rb|rbs|md|mk|sh)$|^Makefile$~', $file)
        && !preg_match('~vendor/|_arginfo\.h$|^CODE_OF_CONDUCT\.md$|/fixtures/~', $file)));
}

chdir(dirname(__DIR__));
$option = $argv[1] ?? '';
if ($option === '--control') {
    $bad = [
        'What is retired gives way to others.' => 'a clause as the subject',
        'It is read by whoever comes next.' => 'a person for code',
        'A page is cleared by who holds its lock.' => 'a person for code',
        'No memory is to be had there.' => 'a borrowed idiom',
        'A writer has it done then.' => 'a borrowed idiom',
        'The same, but without the lock.' => 'a sentence continued',
        '... and its end.' => 'a sentence continued',
        'It takes so many bytes of it.' => 'an old construction',
        'Of two writers, one is first.' => 'an old construction',
        str_repeat('word ', WORDS) . 'more.' => 'a sentence of 36 words',
    ];
    $good = 'Return the value. Users who set it see "what is stored" here. Word' . str_repeat(' word', WORDS - 1) . '.';
    foreach (['c' => '/* %s */', 'h' => "// %s\n", 'php' => '<?php // %s', 'rb' => "  # %s\n", 'md' => "| a | %s |\n", 'phpt' => "--TEST--\n%s\n"] as $kind => $frame) {
        foreach ($bad as $sentence => $habit) {
            $found = wrong("planted.$kind", sprintf($frame, $sentence));
            if (count($found) !== 1 || !str_contains($found[0], $habit)) {
                fwrite(STDERR, "prose: in .$kind \"$sentence\" was not found: " . implode(', ', $found) . "\n");
                exit(1);
            }
        }
        if (($found = wrong("planted.$kind", sprintf($frame, $good))) !== []) {
            fwrite(STDERR, "prose: found in .$kind where nothing is wrong: " . implode(', ', $found) . "\n");
            exit(1);
        }
    }
    $page = "<?php const PAGE = <<<'HTML'\n<style>a { b: c; }</style>\n<script>%s</script>\nHTML;\n";
    if (wrong('planted.php', sprintf($page, 'const a = b;' . str_repeat(' a = b + c;', WORDS))) !== [] || count(wrong('planted.php', sprintf($page, "say('it fails: ask whoever holds it'); // whoever"))) !== 2) {
        fwrite(STDERR, "prose: the script of a page was misread\n");
        exit(1);
    }
    foreach (['c' => 'lrd("it fails: " "ask whoever holds it");', 'php' => '<?php throw new Error("it fails: ask whoever holds it");', 'rb' => 'raise "it fails: ask whoever holds it"', 'mk' => "all: ## it fails: ask whoever holds it\n"] as $kind => $text) {
        if (count(wrong("planted.$kind", $text)) !== 1) {
            fwrite(STDERR, "prose: the message in .$kind was not found\n");
            exit(1);
        }
    }
    exit;
}
if ($option === '--sample') {
    $seed = (int) ($argv[4] ?? 1);
    $comments = [];
    foreach (files() as $file) {
        if (preg_match('~^(?:core/(?:src|include)|php/|ruby/(?:lib|ext)|packages/[^/]+/src|ops/src).*\.(?:[ch]|php|rb)$~', $file) && !preg_match('~tests?/|adapters/~', $file)) {
            foreach (texts($file, (string) file_get_contents($file)) as [$line, $kind, $text]) {
                if ($kind === 'comment' && preg_match_all('/[A-Za-z]{2,}/', $text) > 4) {
                    $comments["$file:$line"] = trim($text);
                }
            }
        }
    }
    mt_srand($seed);
    $keys = array_keys($comments);
    shuffle($keys);
    echo count($keys), " comments, seed $seed\n";
    foreach (array_slice($keys, 0, (int) ($argv[2] ?? 110)) as $i => $key) {
        echo "\n[", $i + 1, "] $key\n$comments[$key]\n";
    }
    exit;
}
$found = [];
foreach (array_slice($argv, 1) ?: files() as $file) {
    array_push($found, ...wrong($file, (string) file_get_contents($file)));
}
fwrite(STDERR, implode('', array_map(static fn(string $line): string => "$line\n", $found)));
exit($found === [] ? 0 : 1);
