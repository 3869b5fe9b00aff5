#!/usr/bin/env bash
# Runs cmocka programs and named steps and ends with one line: "N passed, N failed".
#   tools/run-tests.sh [--wrap COMMAND] [--step NAME COMMAND | --alone NAME COMMAND | PROGRAM]...
# - $JOBS of them run at a time (default 1), and are reported in the given order. A step with --alone waits for all before it, and runs
#   alone.
# - A program counts once for each of its tests, a step once. A program that dies, hangs or reports fewer tests than it has is a failure.
# - --wrap puts a command, such as valgrind, before each program that follows.
# - The output of a program goes to PROGRAM.out and PROGRAM.err, that of a step to build/steps. After a failure its end is shown.
# - TEST_TIMEOUT: the limit in seconds for a program or a step (default 1800), meant only for programs that hang.
set -uo pipefail

limit=${TEST_TIMEOUT:-1800}
jobs=${JOBS:-1}
passed=0
failed=0
wrap=()
count=0              # number of programs and steps that were started
shown=0              # number of programs and steps that were reported
reports=()           # the line to print for each ended step
declare -A running=() # by process id: "NUMBER STARTED KIND NAME"

# line MARK NAME STARTED [TEXT]
line() {
    printf '%-4s  %-22s %4d s  %s\n' "$1" "$2" $((SECONDS - $3)) "${4:-}"
}

show_end() {
    local file
    for file in "$@"; do
        [[ ! -s $file ]] || { printf -- '      -- %s\n' "$file"; tail -n 60 "$file" | sed 's/^/      /'; }
    done
}

explain() {
    case $1 in
        124) echo "took longer than $limit s" ;;
        *) if (($1 > 128)); then echo "died by signal $(($1 - 128))"; else echo "exit code $1"; fi ;;
    esac
}

# report NUMBER TEXT: records the result of the program or step with this number. Prints results in the order of the numbers.
report() {
    reports[$1]=$2
    while [[ -n ${reports[shown]:-} ]]; do
        printf '%s\n' "${reports[shown]}"
        shown=$((shown + 1))
    done
}

# start KIND NAME COMMAND...
start() {
    local kind=$1 name=$2 out err
    shift 2
    if [[ $kind == step ]]; then
        mkdir -p build/steps
        out=$(log_of "$name")
        timeout -k 10 "$limit" "$@" </dev/null >"$out" 2>&1 &
    else
        out=$name.out err=$name.err
        CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$limit" "$@" >"$out" 2>"$err" &
    fi
    running[$!]="$count $SECONDS $kind $name"
    count=$((count + 1))
}

log_of() { echo "build/steps/${1// /-}.log"; }

# wait_until NUMBER: waits until at most NUMBER programs and steps run. Judges each one that ends.
wait_until() {
    local ended status number started kind name
    while ((${#running[@]} > $1)); do
        wait -n -p ended "${!running[@]}"
        status=$?
        read -r number started kind name <<<"${running[$ended]}"
        unset "running[$ended]"
        "judge_$kind" "$number" "$name" "$started" "$status"
    done
}

# judge_step NUMBER NAME STARTED STATUS
judge_step() {
    if (($4 == 0)); then
        passed=$((passed + 1))
        report "$1" "$(line ok "$2" "$3")"
    else
        failed=$((failed + 1))
        report "$1" "$(line FAIL "$2" "$3" "$(explain "$4")"; show_end "$(log_of "$2")")"
    fi
}

# judge_program NUMBER PROGRAM STARTED STATUS
judge_program() {
    local program=$2 started=$3 status=$4 planned good bad skipped text
    read -r planned good bad skipped < <(awk '
        /^1\.\.[0-9]+$/ { planned += substr($0, 4) }
        /^ok / { good++ }
        /^not ok / { if ($4 == "#" && $5 == "SKIP") skipped++; else bad++ }
        END { print planned + 0, good + 0, bad + 0, skipped + 0 }' "$program.out")
    text="$good passed"
    ((bad == 0)) || text+=", $bad failed"
    ((skipped == 0)) || text+=", $skipped skipped"
    if ((good + bad + skipped != planned || planned == 0)); then
        text+=", $planned planned"
        ((bad > 0)) || bad=1
    fi
    if ((status != 0)); then
        text+=", $(explain "$status")"
        ((bad > 0)) || bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    if ((bad == 0)); then
        report "$1" "$(line ok "${program##*/}" "$started" "$text")"
    else
        report "$1" "$(line FAIL "${program##*/}" "$started" "$text"; show_end "$program.out" "$program.err")"
    fi
}

while (($# > 0)); do
    case $1 in
        --wrap) read -ra wrap <<<"$2"; shift 2 ;;
        --step) wait_until $((jobs - 1)); start step "$2" bash -c "$3"; shift 3 ;;
        --alone) wait_until 0; start step "$2" bash -c "$3"; wait_until 0; shift 3 ;;
        *) wait_until $((jobs - 1)); start program "$1" ${wrap[@]+"${wrap[@]}"} "$1"; shift ;;
    esac
done
wait_until 0

echo "$passed passed, $failed failed"
((failed == 0))
