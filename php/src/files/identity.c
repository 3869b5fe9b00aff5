/* identity.c - the identity of this process: effective ids, groups, capabilities, root and mounts.
 * The identity is part of each file's key, so no process gets a file that it may not read.
 *
 * The identity is kept until the program calls a PHP function that may change it. If the server may
 * change the ids, the identity is kept for one request only. */
#include "files/files.h"
#include "SAPI.h"

#include <linux/capability.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const identity_functions[] = {
    "posix_setuid",     "posix_seteuid", "posix_setgid",  "posix_setegid",
    "posix_initgroups", "chroot",        "pcntl_unshare", "pcntl_setns",
};
#define IDENTITY_FUNCTIONS (sizeof identity_functions / sizeof *identity_functions)

static zif_handler identity_next[IDENTITY_FUNCTIONS];
/* Counts the events that may have changed the ids. Relaxed order is enough: a late reader acts as
 * if the ids had changed later. */
static _Atomic uint64_t identity_generation = 1;
static bool identity_lasts; /* true if the identity stays valid between requests */

static ZEND_NAMED_FUNCTION(identity_changes)
{
    const char *name = ZSTR_VAL(EX(func)->common.function_name);
    size_t i = 0;
    while (i < IDENTITY_FUNCTIONS && strcmp(identity_functions[i], name) != 0)
        i++;
    if (i < IDENTITY_FUNCTIONS && identity_next[i] != NULL)
        identity_next[i](INTERNAL_FUNCTION_PARAM_PASSTHRU);
    atomic_fetch_add_explicit(&identity_generation, 1, memory_order_relaxed);
}

void larder_identity_startup(void)
{
    static const char *const lasting[] = {"cli", "fpm-fcgi", "cgi-fcgi", "cli-server", "phpdbg"};
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        identity_lasts = identity_lasts || strcmp(sapi_module.name, lasting[i]) == 0;
    for (size_t i = 0; i < IDENTITY_FUNCTIONS; i++) {
        zend_function *function = zend_hash_str_find_ptr(CG(function_table), identity_functions[i],
                                                         strlen(identity_functions[i]));
        if (function == NULL || function->type != ZEND_INTERNAL_FUNCTION ||
            function->internal_function.handler == identity_changes)
            continue;
        identity_next[i] = function->internal_function.handler;
        function->internal_function.handler = identity_changes;
    }
}

static char *identity_add(char *at, uint64_t number, size_t size)
{
    memcpy(at, &number, size); /* the low bytes: all supported machines are little-endian */
    return at + size;
}

/* Set *mask to the process's capabilities that allow it to read any file or search any folder.
 * Returns false if the system call fails. */
static bool identity_capabilities(uint64_t *mask)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    *mask = sets[0].effective & (1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    return true;
}

static size_t identity_write(char *text)
{
    gid_t groups[LARDER_IDENTITY_GROUPS];
    uint64_t capabilities;
    struct stat root, mounts = {0};
    int count = getgroups(LARDER_IDENTITY_GROUPS, groups);
    if (count < 0 || stat("/", &root) != 0 || !identity_capabilities(&capabilities))
        return 0;
    /* Without /proc, we assume that all processes have the same mounts. */
    (void)stat("/proc/self/ns/mnt", &mounts);
    char *at = identity_add(text, geteuid(), 4);
    at = identity_add(at, getegid(), 4);
    at = identity_add(at, (uint64_t)count, 4);
    for (int i = 0; i < count; i++)
        at = identity_add(at, groups[i], 4);
    at = identity_add(at, capabilities, 4);
    at = identity_add(at, root.st_dev, 8);
    at = identity_add(at, root.st_ino, 8);
    at = identity_add(at, mounts.st_dev, 8);
    at = identity_add(at, mounts.st_ino, 8);
    return (size_t)(at - text);
}

bool larder_identity_current(larder_identity *identity)
{
    uint64_t generation = atomic_load_explicit(&identity_generation, memory_order_relaxed);
    if (UNEXPECTED(identity->generation != generation)) {
        identity->size = identity_write(identity->text);
        identity->generation = generation;
    }
    return identity->size != 0;
}

void larder_identity_rest(larder_identity *identity)
{
    if (!identity_lasts)
        identity->generation = 0;
}
