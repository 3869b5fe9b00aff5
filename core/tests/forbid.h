/* forbid.h - makes system calls fail in this process, as if a seccomp profile denied them. */
#ifndef FORBID_H
#define FORBID_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

/* Make a system call fail with `error` in this process. If `mask` is not 0, the call fails only if
 * its argument with the number `argument` (counted from 0) has a bit of `mask`. Returns false if
 * the kernel allows no seccomp filter. */
static inline bool forbid_call(unsigned call, unsigned argument, unsigned mask, unsigned error)
{
    unsigned low = (unsigned)offsetof(struct seccomp_data, args) + argument * 8;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, mask != 0 ? 3 : 1),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 6, .filter = code};
    if (mask == 0) {
        memmove(code + 2, code + 4, 2 * sizeof *code);
        program.len = 4;
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif
