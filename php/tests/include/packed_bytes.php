<?php
/* Finds the bytes of packed values in the file of a store. */

/** Returns the offset of the block of a key. @param resource $file */
function packed_block($file, string $key): int
{
    for ($at = 0, $size = fstat($file)['size']; $at < $size; $at += 1 << 20) {
        fseek($file, $at);
        if (($found = strpos((string) fread($file, (1 << 20) + 256), $key)) !== false) return $at + $found - 26;
    }
    die('not found');
}

/** Returns the offset of a value in its block (layout.h). */
function packed_start(string $key): int
{
    return 26 + strlen($key) + 15 & ~15;
}

function packed_lz4(string $from): string
{
    for ($at = 0, $to = ''; $at < strlen($from);) {
        $token = ord($from[$at++]);
        $more = function (int $n) use ($from, &$at): int { if ($n === 15) do { $n += $byte = ord($from[$at++]); } while ($byte === 255); return $n; };
        $n = $more($token >> 4);
        $to .= substr($from, $at, $n);
        if (($at += $n) >= strlen($from)) break;
        $back = unpack('v', $from, $at)[1];
        $at += 2;
        for ($n = $more($token & 15) + 4; $n > 0; $n--) $to .= $to[strlen($to) - $back];
    }
    return $to;
}

/** Returns the $size bytes of a packed value, decompressed. @param resource $file */
function packed_value($file, string $key, int $size): string
{
    fseek($file, packed_block($file, $key) + packed_start($key));
    $packed = fread($file, $size);
    strlen($packed) > 16 && ord($packed[0]) === 1 || die('no packed value');
    if (ord($packed[1]) === 1) $packed = substr(substr_replace($packed, "\0", 1, 1), 0, 16) . packed_lz4(substr($packed, 16));
    unpack('V', $packed, 8)[1] === strlen($packed) - 16 || die('not decompressed');
    return $packed;
}
