/* named.c - named stores (stores in a file): chooses their folder, decides which process may change
 * their size, and writes notices for operators. Read larder_named_folder() first.
 *
 * - The file is <folder>/larder-<uid>/<scope>-<kind>. Another user may have created larder-<uid> in
 *   /dev/shm. So a process takes the first of larder-<uid>, larder-<uid>.1 and so on that only its
 *   user may write to.
 * - $XDG_RUNTIME_DIR is not used, because cron and FPM do not have it. */
#include "stores/named.h"
#include "stores/settings.h"
#include "stores/table.h"
#include "php_ini.h"
#include "SAPI.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMED_FOLDERS 8 /* the number of candidates for a user's folder */
#define NAMED_MODE 0700
#define NAMED_OTHERS 4 /* maximum number of other users that a notice names */

/* ---- the folder ---- */

static bool named_usable(const char *folder)
{
    struct stat file;
    return lstat(folder, &file) == 0 && S_ISDIR(file.st_mode) && file.st_uid == geteuid() &&
           (file.st_mode & 022) == 0;
}

static void named_candidate(char *folder, size_t size, const char *first, int number)
{
    if (number == 0)
        snprintf(folder, size, "%s", first);
    else
        snprintf(folder, size, "%s.%d", first, number);
}

static bool named_there(char *folder, size_t size, const char *first)
{
    for (int i = 0; i < NAMED_FOLDERS; i++) {
        named_candidate(folder, size, first, i);
        if (named_usable(folder))
            return true;
    }
    return false;
}

/* Restore the owner's permissions, which a umask may have removed. */
static void named_mend(const char *folder)
{
    struct stat file;
    if (lstat(folder, &file) == 0 && (file.st_mode & NAMED_MODE) != NAMED_MODE)
        fchmodat(AT_FDCWD, folder, NAMED_MODE, AT_SYMLINK_NOFOLLOW);
}

/* Choose the first folder that this user can use, or create one. */
static bool named_choose(char *folder, size_t size, const char *first, int *error)
{
    if (named_there(folder, size, first))
        return true;
    for (int i = 0; i < NAMED_FOLDERS; i++) {
        named_candidate(folder, size, first, i);
        if (mkdir(folder, NAMED_MODE) == 0)
            return true;
        /* another process of this user may have created the folder meanwhile */
        if (errno == EEXIST && named_usable(folder))
            return true;
        *error = errno;
        if (errno != EEXIST)
            break;
    }
    return false;
}

bool larder_named_folder(char *path, size_t size, char *reason, size_t reason_size)
{
    char first[512], folder[520], name[512];
    int error = 0;
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash);
    snprintf(first, sizeof first, "%.*s", (int)(slash - path), path);
    if (named_choose(folder, sizeof folder, first, &error) &&
        (size_t)snprintf(path, size, "%s%s", folder, name) < size) {
        named_mend(folder);
        return true;
    }
    if (error == EEXIST)
        snprintf(reason, reason_size,
                 "%s and %d more like it belong to others, or others may write to them; remove "
                 "them, or set larder.path to a folder that only this user may write to",
                 first, NAMED_FOLDERS - 1);
    else
        snprintf(reason, reason_size, "%s cannot be made: %s; %s", first, strerror(error),
                 error == ENOSPC || error == EDQUOT
                     ? "df -i and df -h show whether inodes or bytes are used up there"
                     : "set larder.path to a folder that this user may write to");
    return false;
}

void larder_named_find(char *path, size_t size)
{
    char first[512], folder[520], name[512];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash);
    snprintf(first, sizeof first, "%.*s", (int)(slash - path), path);
    if (named_there(folder, sizeof folder, first))
        snprintf(path, size, "%s%s", folder, name);
}

/* ---- the size of a named store ---- */

/* Copies of the size settings from php.ini, made before an FPM pool changes the settings. These are
 * copies of the texts, because opcache may replace the engine's strings. */
static char named_registered[LARDER_KINDS][32];

static zend_ini_entry *named_size_entry(larder_kind kind)
{
    const char *name = larder_store_table[kind].size_name;
    return zend_hash_str_find_ptr(EG(ini_directives), name, strlen(name));
}

void larder_named_startup(void)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        const zend_ini_entry *entry = named_size_entry((larder_kind)kind);
        if (entry != NULL && entry->value != NULL)
            snprintf(named_registered[kind], sizeof *named_registered, "%s",
                     ZSTR_VAL(entry->value));
    }
}

/* Return true if the FPM pool has set this size to another value than php.ini. FPM does not mark
 * the setting as modified, so compare the texts. */
static bool named_pool_said(larder_kind kind, const zend_ini_entry *entry)
{
    const char *registered = named_registered[kind];
    return *registered != '\0' && entry->value != NULL &&
           strcmp(ZSTR_VAL(entry->value), registered) != 0;
}

bool larder_named_size_said(larder_kind kind)
{
    const char *name = larder_store_table[kind].size_name;
    const zend_ini_entry *entry = named_size_entry(kind);
    return cfg_get_entry(name, strlen(name)) != NULL ||
           (entry != NULL && (entry->modified || named_pool_said(kind, entry)));
}

static bool named_command_line(void)
{
    return strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0;
}

bool larder_named_size_rules(larder_kind kind)
{
    return !named_command_line() && larder_named_size_said(kind);
}

static void named_size(char *text, size_t size, uint64_t bytes)
{
    if (bytes % (1 << 20) == 0)
        snprintf(text, size, "%lluM", (unsigned long long)bytes >> 20);
    else
        snprintf(text, size, "%lluK", (unsigned long long)bytes >> 10);
}

/* ---- notices ---- */

/* Write to `names` a list of the other users that have a store of this scope. Users whose folders
 * this process cannot read are missing. Returns the number of users in the list. */
static uint32_t named_others(const char *path, char *names, size_t size)
{
    char folder[512], file[1024];
    uint32_t count = 0;
    size_t used = 0;
    struct stat found;
    struct dirent *entry;
    const char *name = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    char *parent_end = strrchr(folder, '/');
    char own[256];
    snprintf(own, sizeof own, "%s", parent_end + 1);
    *parent_end = '\0';
    DIR *all = opendir(folder[0] != '\0' ? folder : "/");
    while (all != NULL && count < NAMED_OTHERS && (entry = readdir(all)) != NULL) {
        if (strncmp(entry->d_name, "larder-", 7) != 0 || strcmp(entry->d_name, own) == 0)
            continue;
        snprintf(file, sizeof file, "%s/%s%s", folder, entry->d_name, name);
        if (lstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid == geteuid())
            continue;
        struct passwd *user = getpwuid(found.st_uid);
        used += (size_t)snprintf(names + used, used < size ? size - used : 0, "%s%s (%lu)",
                                 count != 0 ? ", " : "", user != NULL ? user->pw_name : "user",
                                 (unsigned long)found.st_uid);
        if (used >= size)
            used = size - 1;
        count++;
    }
    if (all != NULL)
        closedir(all);
    return count;
}

void larder_named_notice(larder_kind kind, const char *path, const lrd_info *info, char *text,
                         size_t size)
{
    const larder_store_row *row = larder_store_table + kind;
    const char *name = row->size_name;
    char names[256], has[32], wants[32];
    uint64_t wanted = larder_configured.size[kind];
    text[0] = '\0';
    if (info->created && named_command_line() && named_others(path, names, sizeof names) != 0) {
        snprintf(
            text, size,
            "the %s store %s was made just now, for user %lu, and is empty; %s has one of that "
            "larder.scope: to use it, run as that user",
            row->name, path, (unsigned long)geteuid(), names);
        return;
    }
    named_size(has, sizeof has, info->size);
    named_size(wants, sizeof wants, wanted);
    if (!larder_named_size_said(kind) || (wanted + 65535) / 65536 * 65536 == info->size)
        return;
    snprintf(
        text, size,
        "the %s store %s has %s, %s = %s here (%s): it keeps its size while a process uses it; "
        "restart all that use it, or remove its file, or make %s equal",
        row->name, path, has, name, wants, sapi_module.name, name);
}

void larder_named_remedy(larder_kind kind, const char *path, int code, char *text, size_t size)
{
    struct rlimit limit;
    const char *name = larder_store_table[kind].size_name;
    bool named = path[0] != '\0';
    text[0] = '\0';
    switch (code) {
    case LRD_EADDR:
    case LRD_ENOMEM:
        if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            snprintf(text, size, "; raise ulimit -v or lower %s (now %llu MiB)", name,
                     (unsigned long long)larder_configured.size[kind] >> 20);
        break;
    case LRD_ENOSPC:
        snprintf(text, size, "; lower %s%s", name, named ? ", or set another larder.path" : "");
        break;
    case LRD_EMISMATCH:
        if (named)
            snprintf(
                text, size,
                "; give this PHP another larder.scope, or stop the processes that use the file");
        break;
    case LRD_ENAMESPACE:
        snprintf(text, size, "; give each container another larder.path or larder.scope");
        break;
    case LRD_EPERM:
        snprintf(text, size, "; remove it, or set another larder.path or larder.scope");
        break;
    default:
        break;
    }
}
