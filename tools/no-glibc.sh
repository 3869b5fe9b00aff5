#!/usr/bin/env bash
# Checks what somebody with another libc than glibc is told first: one sentence, not a header that is missing.
# Compiles the core as if features.h were of a libc that is none, which also lacks glibc's own headers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/gnu"
printf '#include_next <features.h>\n#undef __GLIBC__\n' >"$work/features.h"
printf '#error "fatal error: no such file"\n' >"$work/gnu/libc-version.h"
said=$(${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -isystem "$work" -Icore/include -Icore/src -isystem core/vendor/xxhash -fsyntax-only core/core.c 2>&1) &&
    { echo "no-glibc: the core compiles without glibc" >&2; exit 1; }
first=$(grep -m 1 -e 'error:' <<<"$said")
[[ $first == *"Larder needs glibc"* ]] || { echo "no-glibc: what is said first: $first" >&2; exit 1; }
