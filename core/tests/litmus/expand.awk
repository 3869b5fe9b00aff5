# Writes each variant and case of a litmus test of this folder as a file that herd7 reads: see README.md.
#   awk -v to=FOLDER -f expand.awk NAME.litmus
# Files are FOLDER/NAME-VARIANT-CASE.litmus; variant 0 is the code as it is.

FNR == 1 {
    language = $1
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.litmus$/, "", name)
    next
}

# LINE //! NUMBER: INSTEAD //! NUMBER: INSTEAD
{
    parts = split($0, part, "//! ")
    plain[++lines] = part[1]
    for (i = 2; i <= parts; i++) {
        number = part[i] + 0
        sub(/^[0-9]+: */, "", part[i])
        instead[number, lines] = part[i]
        broken = number > broken ? number : broken
    }
}

# The number in "interrupted(2);"; 0: the line is another one.
function argument(line, called) {
    return match(line, "^ *" called "\\([0-9]\\);") ? substr(line, index(line, "(") + 1, 1) + 0 : 0
}

function write_case(variant, which, number,    file, i, line, thread, barrier, point, seen, filter) {
    file = to "/" name "-" variant "-" number ".litmus"
    print language " " name "-" variant "-" number > file
    for (i = 1; i <= lines; i++) {
        line = text[i]
        if (match(line, /^P[0-9]/)) {
            thread = substr(line, 2, 1)
            if (barriers > 0)
                sub(/\)$/, ", atomic_int* ipi, atomic_int* ack)", line)
        }
        if (argument(line, "membarrier")) {
            line = "  atomic_thread_fence(memory_order_seq_cst);\n" \
                   "  atomic_store_explicit(ipi, 1, memory_order_relaxed);\n" \
                   "  int acked = atomic_load_explicit(ack, memory_order_relaxed);\n" \
                   "  atomic_thread_fence(memory_order_seq_cst);"
            filter = filter " /\\ " thread ":acked=1"
        } else if (argument(line, "interrupted")) {
            point = barriers > 0 ? ++seen == which : 0
            line = !point ? "" : "  int interrupt = atomic_load_explicit(ipi, memory_order_relaxed);\n" \
                                 "  atomic_thread_fence(memory_order_seq_cst);\n" \
                                 "  atomic_store_explicit(ack, 1, memory_order_relaxed);"
            if (point)
                filter = filter " /\\ " thread ":interrupt=1"
        } else if (line ~ /^filter /) {
            filter = filter " /\\ " substr(line, 8)
            line = ""
        } else if (line ~ /^exists / && filter != "") {
            line = "filter (" substr(filter, 5) ")\n" line
        }
        if (line != "")
            print line > file
    }
    close(file)
}

END {
    for (variant = 0; variant <= broken; variant++) {
        points = barriers = 0
        for (i = 1; i <= lines; i++) {
            text[i] = (variant, i) in instead ? instead[variant, i] : plain[i]
            barriers += argument(text[i], "membarrier") != 0
            points += argument(text[i], "interrupted") != 0
        }
        cases = barriers > 0 ? points : 1
        for (number = 1; number <= cases; number++)
            write_case(variant, number, number)
    }
}
