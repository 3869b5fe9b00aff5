#!/usr/bin/env bash
# run.sh [NAME...]: judges this folder's litmus tests, or those named, with herd7 (README.md). Says "skipped" without herd7.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$here/../../../build/litmus
command -v herd7 >/dev/null || { echo 'skipped: no herd7'; exit 0; }

rm -rf "$work"
mkdir -p "$work"
[[ $# -gt 0 ]] || set -- "$here"/*.litmus
for test in "$@"; do
    name=${test##*/}
    awk -v to="$work" -f "$here/expand.awk" "$here/${name%.litmus}.litmus"
done

# If herd7 does not understand a test, it only prints a warning. So count the tests that it is asked and the tests that it answers.
for model in rc11:C armv8:C aarch64:AArch64 x86tso-mixed:X86_64; do
    mapfile -t files < <(grep -l "^${model#*:} " "$work"/*.litmus || true)
    [[ ${#files[@]} -gt 0 ]] || continue
    model=${model%:*}
    printf "asked $model %s\n" "${files[@]##*/}" | sed 's,\.litmus$,,' >>"$work/asked"
    herd7 -I "$here" -model "$model.cat" "${files[@]}" >"$work/$model.out" 2>"$work/$model.err" || true
    head -n 5 "$work/$model.err" >&2
done

# A variant is bad in a model if one of its cases has a data race, or allows the execution in the case's last line.
awk '
    function variant_of(test) { sub(/-[0-9]+$/, "", test); return test }
    /^asked / {
        test = variant_of($3)
        if (!((test, $2) in asked))
            models[test] = models[test] " " $2
        asked[test, $2]++
        if (!(test in known)) {
            known[test] = 1
            order[++count] = test
        }
    }
    FNR == 1 { model = FILENAME; sub(/.*\//, "", model); sub(/\.out$/, "", model) }
    /^Test / { test = variant_of($2) }
    /^Observation / { answered[test, model]++; bad[test, model] = bad[test, model] || $3 != "Never" }
    /^Flag .*undef/ { bad[test, model] = 1 }
    END {
        for (i = 1; i <= count; i++) {
            test = order[i]
            variant = name = test
            sub(/.*-/, "", variant)
            sub(/-[0-9]+$/, "", name)
            said = ""
            any = missing = 0
            n = split(models[test], model_of, " ")
            for (m = 1; m <= n; m++) {
                missing += answered[test, model_of[m]] != asked[test, model_of[m]]
                any += bad[test, model_of[m]]
                said = said "  " model_of[m] ": " (bad[test, model_of[m]] ? "bad" : "never")
            }
            good = !missing && (variant == 0) == !any
            failed += !good
            printf "%-4s  %-26s %-9s%s%s\n", good ? "ok" : "FAIL", name, variant == 0 ? "as it is" : "broken " variant,
                said, missing ? "  not understood" : ""
        }
        printf "%d passed, %d failed\n", count - failed, failed
        exit failed != 0 || count == 0
    }' "$work/asked" "$work"/*.out
