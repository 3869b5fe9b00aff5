#!/usr/bin/env bash
# Runs cmocka programs and named steps in the order given and ends with one line: "N passed, N failed".
#   tools/run-tests.sh [--wrap COMMAND] [--step NAME COMMAND | PROGRAM]...
# Programs that follow each other run $JOBS at a time (default 1), a step by itself. A program counts once for each of
# its tests, a step once. One that dies, hangs or reports less than it planned is a failure too. --wrap puts a command,
# such as valgrind, before each program that follows. Output goes to PROGRAM.out and PROGRAM.err, for steps to
# build/steps; its end is shown for whatever fails.
# TEST_TIMEOUT: seconds a program or a step may take (default 1800): to end what hangs, not to say how quick it is.
set -uo pipefail

limit=${TEST_TIMEOUT:-1800}
jobs=${JOBS:-1}
passed=0
failed=0
wrap=()
declare -A running=() # by process id: the program, and when it was started

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

run_step() {
    local name=$1 started=$SECONDS status
    local log=build/steps/${1// /-}.log
    mkdir -p build/steps
    timeout -k 10 "$limit" bash -c "$2" >"$log" 2>&1
    status=$?
    if ((status == 0)); then
        passed=$((passed + 1))
        line ok "$name" "$started"
    else
        failed=$((failed + 1))
        line FAIL "$name" "$started" "$(explain "$status")"
        show_end "$log"
    fi
}

start_program() {
    CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$limit" ${wrap[@]+"${wrap[@]}"} "$1" >"$1.out" 2>"$1.err" &
    running[$!]="$SECONDS $1"
}

# Waits until at most so many programs run, and judges those that ended.
wait_programs() {
    local ended status
    while ((${#running[@]} > $1)); do
        wait -n -p ended "${!running[@]}"
        status=$?
        judge_program "${running[$ended]#* }" "${running[$ended]%% *}" "$status"
        unset "running[$ended]"
    done
}

# judge_program PROGRAM STARTED STATUS
judge_program() {
    local program=$1 started=$2 status=$3 planned good bad skipped text
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
        line ok "${program##*/}" "$started" "$text"
    else
        line FAIL "${program##*/}" "$started" "$text"
        show_end "$program.out" "$program.err"
    fi
}

while (($# > 0)); do
    case $1 in
        --wrap) read -ra wrap <<<"$2"; shift 2 ;;
        --step) wait_programs 0; run_step "$2" "$3"; shift 3 ;;
        *) wait_programs $((jobs - 1)); start_program "$1"; shift ;;
    esac
done
wait_programs 0

echo "$passed passed, $failed failed"
((failed == 0))
