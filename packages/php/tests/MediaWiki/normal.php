<?php

declare(strict_types=1);

/** Returns a page of MediaWiki without the parts that differ in each request. */
function normal(string $text): string
{
    return (string) preg_replace(['/127\.0\.0\.1:\d+/', '/"wg(?:RequestId|BackendResponseTime|PageParseReport|PostEdit|IP)":[^,}]*,?/', '/\s*<!--.*?-->\s*/s', '/"(?:cputime|walltime|timestamp|cachereport|timeprofile)":[^,}]*/', '/\d+(?:\.\d+)?(?: |&#160;)ms/', '/"timingprofile":\[[^\]]*\]/', '/~+/', '/RLPAGEMODULES=\[[^\]]*\]|RLCONF=\{.*?\};/s'], '~', $text);
}
