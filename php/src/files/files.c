/* files.c - returns the content of a file for file_get_contents() from the volatile store. Read
 * files_serve() first. The entries are:
 *
 * "\0lrd" f IDENTITY PATH   a file: its content as a finished zend_string, then a files_state
 * "\0lrd" u h|m|r           counts of uses
 *
 * - In unusual cases, PHP's own function reads the file, and reports errors.
 * - A file is kept if it changed neither during the read nor shortly before (FILES_SETTLED_NS).
 *   Only the ctime tells this, because no program can set it.
 * - A file that has just changed is read here, but not kept. It is not left to PHP's own function,
 *   because that function could read the old target of a symlink, from its realpath cache.
 * - A path with "..", "//" or the like is left to PHP's own function, which may change the path.
 * - Only files on local file systems are kept, where stat() sees every change immediately. */
#include "files/files.h"
#include "api/arguments.h"
#include "format/format.h"
#include "put/string.h"
#include "stores/stores.h"
#include "ext/standard/file.h"
#include "php_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define FILES_TAG LARDER_RESERVED "f"
#define FILES_TAG_LENGTH (sizeof FILES_TAG - 1)
#define FILES_USES LARDER_RESERVED "u"
#define FILES_KEY_MAX (FILES_TAG_LENGTH + sizeof(((larder_identity *)0)->text) + MAXPATHLEN)

/* A file is kept only if its last change is at least this old (ns). A write sets the ctime before
 * it copies its data, and two changes may get the same ctime. FILES_COARSE_NS is for file systems
 * whose times are exact only to two seconds. */
#define FILES_SETTLED_NS 1000000000ll
#define FILES_COARSE_NS 2100000000ll

/* Number of cells in which a thread notes when it last checked a file for changes. The hash of a
 * file's path selects the cell. */
#define FILES_SEEN 256u
typedef struct files_seen {
    uint64_t hash, version, at_ms;
} files_seen;

struct larder_files {
    larder_identity identity;
    larder_files_uses uses; /* uses not yet added to the shared counts */
    files_seen *seen;       /* an array of FILES_SEEN cells; NULL until it is needed */
    char key[FILES_KEY_MAX];
};

/* The state of a file when its content was read. */
typedef struct files_state {
    uint64_t device, inode;
    int64_t size;
    int64_t changed_s, changed_ns, modified_s, modified_ns;
} files_state;
_Static_assert(sizeof(files_state) == 56, "part of the layout of values");

static zif_handler files_next;

static files_state files_state_of(const struct stat *file)
{
    return (files_state){.device = file->st_dev,
                         .inode = file->st_ino,
                         .size = file->st_size,
                         .changed_s = file->st_ctim.tv_sec,
                         .changed_ns = file->st_ctim.tv_nsec,
                         .modified_s = file->st_mtim.tv_sec,
                         .modified_ns = file->st_mtim.tv_nsec};
}

static bool files_same(const files_state *one, const files_state *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

static uint64_t files_clock_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static struct larder_files *files_mine(void)
{
    if (UNEXPECTED(LARDER_G(files) == NULL))
        LARDER_G(files) = pecalloc(1, sizeof *LARDER_G(files), 1);
    return LARDER_G(files);
}

/* ---- which calls, which paths ---- */

/* Return the path in a call of file_get_contents(), or NULL if a later argument is not the
 * default. */
static zend_string *files_asked(const zend_execute_data *execute_data)
{
    uint32_t count = ZEND_NUM_ARGS();
    if (count < 1 || count > 5 || Z_TYPE_P(ZEND_CALL_ARG(execute_data, 1)) != IS_STRING)
        return NULL;
    for (uint32_t i = 2; i <= count; i++) {
        const zval *argument = ZEND_CALL_ARG(execute_data, i);
        bool usual = i == 2   ? Z_TYPE_P(argument) == IS_FALSE
                     : i == 4 ? Z_TYPE_P(argument) == IS_LONG && Z_LVAL_P(argument) == 0
                              : Z_TYPE_P(argument) == IS_NULL;
        if (!usual)
            return NULL;
    }
    return Z_STR_P(ZEND_CALL_ARG(execute_data, 1));
}

/* Return true for a path whose file may depend on the process, such as /proc/self/cwd/x or
 * /dev/fd/3. */
static bool files_own_name(const char *path)
{
    static const char *const own[] = {"/proc/", "/dev/fd/", "/dev/std"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(path, own[i], strlen(own[i])) == 0)
            return true;
    return false;
}

/* Return true if a path is absolute, has no NUL and no part "", "." or "..", and names one file for
 * all processes. */
static bool files_plain_path(const char *path, size_t length)
{
    if (length < 2 || length >= MAXPATHLEN || path[0] != '/' || path[length - 1] == '/' ||
        memchr(path, '\0', length) != NULL || files_own_name(path))
        return false;
    for (const char *at = path; at != NULL; at = strchr(at + 1, '/'))
        if (at[1] == '/' || (at[1] == '.' && (at[2] == '/' || at[2] == '\0' ||
                                              (at[2] == '.' && (at[3] == '/' || at[3] == '\0')))))
            return false;
    return true;
}

/* Return true if PHP opens exactly this path, without a stream wrapper, and open_basedir allows
 * it. */
static bool files_allowed(const char *path)
{
    const char *opened = path;
    if (php_stream_locate_url_wrapper(path, &opened, 0) != &php_plain_files_wrapper ||
        opened != path)
        return false;
    return PG(open_basedir) == NULL || *PG(open_basedir) == '\0' ||
           php_check_open_basedir_ex(path, 0) == 0;
}

static size_t files_key(struct larder_files *files, const char *path, size_t length)
{
    char *at = files->key;
    memcpy(at, FILES_TAG, FILES_TAG_LENGTH);
    memcpy(at + FILES_TAG_LENGTH, files->identity.text, files->identity.size);
    memcpy(at + FILES_TAG_LENGTH + files->identity.size, path, length);
    return FILES_TAG_LENGTH + files->identity.size + length;
}

/* ---- a file that is in the store ---- */

static const files_state *files_state_in(const lrd_value *value)
{
    const zend_string *content = value->data;
    return (const files_state *)((const char *)value->data + LARDER_STRING_SIZE(ZSTR_LEN(content)));
}

static files_seen *files_seen_of(struct larder_files *files, const zend_string *path)
{
    uint64_t hash = zend_string_hash_val((zend_string *)path);
    if (files->seen == NULL)
        files->seen = pecalloc(FILES_SEEN, sizeof *files->seen, 1);
    return files->seen + (hash ^ hash >> 32) % FILES_SEEN;
}

/* Return true if the stored content is valid: stat() shows no change, or this thread's last check
 * is less than larder.file_cache_revalidate milliseconds old. */
static bool files_valid(lrd_store *store, struct larder_files *files, const zend_string *path,
                        const lrd_value *value)
{
    zend_long every = larder_files_configured.revalidate_ms;
    files_seen now = {0}, *seen = NULL;
    struct stat file;
    if (every < 0)
        return true;
    if (every > 0) {
        lrd_entry entry;
        seen = files_seen_of(files, path);
        if (lrd_value_entry(store, value, &entry) != LRD_OK)
            return false;
        now =
            (files_seen){.hash = ZSTR_H(path), .version = entry.version, .at_ms = files_clock_ms()};
        if (seen->hash == now.hash && seen->version == now.version &&
            now.at_ms - seen->at_ms < (uint64_t)every)
            return true;
    }
    files->uses.revalidations++;
    if (stat(ZSTR_VAL(path), &file) != 0)
        return false;
    files_state state = files_state_of(&file);
    if (!files_same(&state, files_state_in(value)))
        return false;
    if (seen != NULL)
        *seen = now;
    return true;
}

/* Find the valid content of a file in the store. Returns false if there is none. */
static bool files_find(lrd_store *store, struct larder_files *files, const zend_string *path,
                       size_t key_length, zval *result)
{
    lrd_value value;
    int rc;
    LARDER_CALL(rc, lrd_get(store, files->key, key_length, LRD_GET_NO_COPY, &value));
    if (rc != LRD_OK)
        return false;
    bool good = value.type == LARDER_FILE && files_valid(store, files, path, &value);
    if (good && EXPECTED(value.kind == LRD_KIND_HELD)) {
        ZVAL_INTERNED_STR(result, (zend_string *)(uintptr_t)value.data);
        return true;
    }
    if (good) { /* too many values are held, so copy this one */
        const zend_string *content = value.data;
        ZVAL_STR(result, zend_string_init(ZSTR_VAL(content), ZSTR_LEN(content), 0));
    }
    LARDER_CALL(rc, lrd_release(store, &value));
    return good;
}

/* ---- a file that is not in the store ---- */

static bool files_kernel(int fd)
{
    static const uint32_t local[] = {
        EXT4_SUPER_MAGIC,
        TMPFS_MAGIC,
        RAMFS_MAGIC,
        XFS_SUPER_MAGIC,
        BTRFS_SUPER_MAGIC,
        OVERLAYFS_SUPER_MAGIC,
        F2FS_SUPER_MAGIC,
        SQUASHFS_MAGIC,
        ISOFS_SUPER_MAGIC,
        0x2fc12fc1 /* ZFS */,
        0xca451a4e /* bcachefs */,
        0xe0f5e1e2 /* EROFS */,
    };
    struct statfs system;
    if (fstatfs(fd, &system) != 0)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((uint32_t)system.f_type == local[i])
            return true;
    return false;
}

/* Return true if the file's last change is so old that another change would set another time. Call
 * this before reading the file. */
static bool files_settled(const struct stat *file)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* the clock that sets file times */
    int64_t age_s = now.tv_sec - file->st_ctim.tv_sec;
    int64_t margin = file->st_ctim.tv_nsec == 0 ? FILES_COARSE_NS : FILES_SETTLED_NS;
    return age_s >= 0 &&
           (age_s > 10 || age_s * 1000000000 + now.tv_nsec - file->st_ctim.tv_nsec > margin);
}

/* Read an open file. Returns false if the file is not as long as `content`, or if reading fails. */
static bool files_read(int fd, zend_string *content)
{
    size_t size = ZSTR_LEN(content), done = 0;
    ssize_t got;
    char more;
    do {
        got = done < size ? read(fd, ZSTR_VAL(content) + done, size - done) : read(fd, &more, 1);
        if (got > 0 && done == size)
            return false; /* the file has grown */
        done += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    ZSTR_VAL(content)[size] = '\0';
    return done == size && got == 0;
}

/* Read an open file into `content`, which has the expected size. Returns false if the read fails,
 * or the file changes. *keeps becomes true if the content may be kept. */
static bool files_load(int fd, zend_string *content, files_state *state, bool *keeps)
{
    struct stat before, after;
    if (fstat(fd, &before) != 0 || !S_ISREG(before.st_mode) ||
        (uint64_t)before.st_size != ZSTR_LEN(content))
        return false;
    *state = files_state_of(&before);
    *keeps = files_settled(&before);
    if (!files_kernel(fd) || !files_read(fd, content) || fstat(fd, &after) != 0)
        return false;
    files_state then = files_state_of(&after);
    return files_same(state, &then);
}

typedef struct files_parts {
    const zend_string *content;
    const files_state *state;
} files_parts;

static void files_fill(const void *from, void *build, const void *data, size_t size)
{
    const files_parts *parts = from;
    size_t string = LARDER_STRING_SIZE(ZSTR_LEN(parts->content));
    larder_fill_string(parts->content, build, data, string);
    memcpy((char *)build + string, parts->state, sizeof *parts->state);
}

static void files_put(lrd_store *store, const struct larder_files *files, size_t key_length,
                      zend_string *content, const files_state *state)
{
    files_parts parts = {.content = content, .state = state};
    int rc;
    zend_string_hash_val(content);
    LARDER_CALL(
        rc,
        lrd_put_fill(store, files->key, key_length,
                     LARDER_STRING_SIZE(ZSTR_LEN(content)) + sizeof *state, files_fill, &parts,
                     &(lrd_write){.ttl_ms = larder_files_configured.ttl_ms, .type = LARDER_FILE}));
    (void)rc;
}

/* Read a file, and keep it if possible. Returns false if PHP's own function must read the file. */
static bool files_fetch(lrd_store *store, struct larder_files *files, const zend_string *path,
                        size_t key_length, zval *result)
{
    struct stat file;
    files_state state;
    bool keeps;
    /* Opening a pipe or a device has side effects, so check the type first. */
    if (stat(ZSTR_VAL(path), &file) != 0 || !S_ISREG(file.st_mode) || file.st_size <= 0 ||
        (uint64_t)file.st_size > larder_files_configured.max_size)
        return false;
    /* Allocate before open(): if memory_limit ends the request here, no file stays open. */
    zend_string *content = zend_string_alloc((size_t)file.st_size, 0);
    int fd = open(ZSTR_VAL(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good = fd >= 0 && files_load(fd, content, &state, &keeps);
    if (fd >= 0)
        close(fd);
    if (!good) {
        zend_string_efree(content);
        return false;
    }
    if (keeps) {
        files_put(store, files, key_length, content, &state);
        files->uses.misses++;
    }
    ZVAL_STR(result, content);
    return true;
}

/* ---- the function ---- */

static bool files_serve(const zend_string *path, zval *result)
{
    struct larder_files *files = files_mine();
    lrd_store *store;
    if (!files_plain_path(ZSTR_VAL(path), ZSTR_LEN(path)) || !files_allowed(ZSTR_VAL(path)) ||
        (store = larder_store(LARDER_VOLATILE)) == NULL ||
        !larder_identity_current(&files->identity))
        return false;
    size_t key_length = files_key(files, ZSTR_VAL(path), ZSTR_LEN(path));
    if (files_find(store, files, path, key_length, result)) {
        files->uses.hits++;
        return true;
    }
    return files_fetch(store, files, path, key_length, result);
}

static ZEND_NAMED_FUNCTION(files_get_contents)
{
    if (UNEXPECTED(larder_files_configured.enabled)) {
        const zend_string *path = files_asked(execute_data);
        if (path != NULL && files_serve(path, return_value))
            return;
    }
    files_next(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Replace the handler of file_get_contents(). Call this only at start-up, because later, other
 * threads and compiled code have the old handler. */
void larder_files_startup(void)
{
    zend_function *function =
        zend_hash_str_find_ptr(CG(function_table), ZEND_STRL("file_get_contents"));
    if (function == NULL || function->type != ZEND_INTERNAL_FUNCTION ||
        function->internal_function.handler == files_get_contents)
        return;
    files_next = function->internal_function.handler;
    function->internal_function.handler = files_get_contents;
    larder_identity_startup();
}

/* ---- counts and entries ---- */

static const char *const files_uses_keys[] = {FILES_USES "h", FILES_USES "m", FILES_USES "r"};
/* Length of each string in files_uses_keys: FILES_USES plus one letter. sizeof counts the NUL of
 * FILES_USES instead of the letter. */
#define FILES_USES_LENGTH sizeof FILES_USES

static uint64_t *files_use(larder_files_uses *uses, unsigned which)
{
    return which == 0 ? &uses->hits : which == 1 ? &uses->misses : &uses->revalidations;
}

void larder_files_rest(void)
{
    struct larder_files *files = LARDER_G(files);
    if (files == NULL)
        return;
    lrd_store *store = LARDER_G(active)[LARDER_VOLATILE];
    for (unsigned i = 0; i < 3 && store != NULL; i++) {
        uint64_t *uses = files_use(&files->uses, i);
        int64_t sum;
        int rc = LRD_OK;
        if (*uses != 0)
            LARDER_CALL(rc, lrd_counter_add(store, files_uses_keys[i], FILES_USES_LENGTH,
                                            (int64_t)*uses, 0, 0, &sum));
        if (rc == LRD_OK)
            *uses = 0;
    }
    larder_identity_rest(&files->identity);
}

void larder_files_end(struct larder_files *files)
{
    if (files == NULL)
        return;
    if (files->seen != NULL)
        pefree(files->seen, 1);
    pefree(files, 1);
}

void larder_files_count(lrd_store *store, larder_files_uses *uses)
{
    struct larder_files *files = files_mine();
    *uses = files->uses;
    for (unsigned i = 0; i < 3; i++) {
        lrd_value value;
        int rc;
        LARDER_CALL(rc, lrd_get(store, files_uses_keys[i], FILES_USES_LENGTH,
                                LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
        if (rc == LRD_OK && value.type == LRD_TYPE_COUNTER)
            *files_use(uses, i) += (uint64_t)lrd_counter_value(&value);
    }
}

bool larder_files_drop(lrd_store *store, const char *path, size_t length)
{
    struct larder_files *files = files_mine();
    int rc;
    if (!files_plain_path(path, length) || !larder_identity_current(&files->identity))
        return false;
    size_t key_length = files_key(files, path, length);
    LARDER_CALL(rc, lrd_delete(store, files->key, key_length));
    return rc == LRD_OK;
}

bool larder_files_entry(const lrd_entry *entry, const lrd_value *value, size_t *bytes)
{
    if (value->type != LARDER_FILE || entry->key_len < FILES_TAG_LENGTH ||
        memcmp(entry->key, FILES_TAG, FILES_TAG_LENGTH) != 0)
        return false;
    *bytes = ZSTR_LEN((const zend_string *)value->data);
    return true;
}
