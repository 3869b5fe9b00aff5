/* segments.c - the stores that are open in this process. A segment is a file and its mapping. A
 * process maps a file only once, so all its caches for the file share a segment. */
#include "larder_ruby.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct larder_segment {
    struct larder_segment *next;
    lrd_store *store;
    /* the number of caches that share this segment; the last one closes the store */
    uint32_t users;
    bool named;
    dev_t device;
    ino_t inode;
};

static pthread_mutex_t segments_mutex = PTHREAD_MUTEX_INITIALIZER;
/* the list of segments; segments_mutex protects it and its elements */
static larder_segment *segments;

/* Fork handlers. They keep other Ractors from changing the list during the fork, and give the child
 * a new mutex.
 *
 * Threads lock segments_mutex before the core's mutex, so our prepare handler must run before the
 * core's. fork() runs prepare handlers in reverse order of registration. The core registers its
 * handlers in the first lrd_open(), so segments_watch_forks() must be called after that. A fork
 * during the first lrd_open() may leave the child an incomplete list. */
static void segments_fork_prepare(void) { pthread_mutex_lock(&segments_mutex); }

static void segments_fork_parent(void) { pthread_mutex_unlock(&segments_mutex); }

static void segments_fork_child(void)
{
    segments_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void segments_watch_forks(void)
{
    pthread_atfork(segments_fork_prepare, segments_fork_parent, NULL);
}

void larder_segments_begin(void) { pthread_atfork(NULL, NULL, segments_fork_child); }

#define SEGMENT_ABI "ruby,codec3"

/* Addresses of segments. The creator of a named segment computes its address from the path. If this
 * address is not free, the core tries others. All other processes must map the segment at the same
 * address. PHP's stores and the executable lie at higher addresses. */
#define SEGMENT_ANONYMOUS 0x510000000000u
#define SEGMENT_NAMED 0x520000000000u
#define SEGMENT_NAMED_END 0x550000000000u
#define SEGMENT_APART ((uint64_t)128 << 20)
#define SEGMENT_HASH_FACTOR 0x9e3779b97f4a7c15u /* 2^64 divided by the golden ratio */

static uint64_t segment_base(const char *path)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    if (path == NULL)
        return SEGMENT_ANONYMOUS;
    for (; *path != '\0'; path++)
        hash = (hash ^ (uint8_t)*path) * 0x100000001b3u;
    /* In FNV-1a, the last characters of a path hardly change the upper bits used below, so mix
     * again. */
    hash *= SEGMENT_HASH_FACTOR;
    return SEGMENT_NAMED +
           (hash >> 40) % ((SEGMENT_NAMED_END - SEGMENT_NAMED) / SEGMENT_APART) * SEGMENT_APART;
}

static larder_segment *segment_find(const char *path)
{
    struct stat file;
    if (path == NULL || stat(path, &file) != 0)
        return NULL;
    for (larder_segment *segment = segments; segment != NULL; segment = segment->next)
        if (segment->named && segment->device == file.st_dev && segment->inode == file.st_ino)
            return segment;
    return NULL;
}

static bool segment_is_php(const lrd_info *info) { return strncmp(info->value_abi, "php", 3) == 0; }

/* Return true if the options fit a segment that this process has open. A new cache can then share
 * the segment. Otherwise sets `reason`. */
static bool segment_fits(const larder_segment *segment, const lrd_options *options, char *reason,
                         size_t reason_size)
{
    lrd_info info;
    lrd_store_info(segment->store, &info);
    uint64_t size = (options->size + 0xffff) & ~(uint64_t)0xffff;
    if (options->size != 0 && size != info.size) {
        snprintf(reason, reason_size, "it is open with a size of %llu bytes, not %llu",
                 (unsigned long long)info.size, (unsigned long long)size);
        return false;
    }
    if (info.policy != options->policy) {
        snprintf(reason, reason_size, "it is open as a %s cache",
                 info.policy == LRD_PINNED ? "pinned" : "volatile");
        return false;
    }
    return true;
}

/* Return true if the file may be opened with these options. Returns false if the file contains a
 * store of another kind, such as PHP's sessions. The core would replace that store by a new one if
 * no process had the file open. */
static bool segment_kind_fits(const lrd_options *options, char *reason, size_t reason_size)
{
    static const char *const kinds[] = {"volatile", "pinned", "immutable", "session", "queue"};
    lrd_options look = {.path = options->path, .open_only = true};
    lrd_store *store;
    lrd_info info;
    if (options->path == NULL || lrd_open(&look, &store) != LRD_OK)
        return true;
    lrd_store_info(store, &info);
    lrd_close(store);
    if (info.policy == options->policy)
        return true;
    snprintf(reason, reason_size,
             "%.300s is a %s store, not a %s one: remove it, or give another path", options->path,
             info.policy <= LRD_QUEUE ? kinds[info.policy] : "another", kinds[options->policy]);
    return false;
}

static int segment_make(const lrd_options *options, larder_segment **out, char *reason,
                        size_t reason_size)
{
    static pthread_once_t watch_forks = PTHREAD_ONCE_INIT;
    struct stat file;
    if (!segment_kind_fits(options, reason, reason_size))
        return LRD_EMISMATCH;
    larder_segment *segment = calloc(1, sizeof *segment);
    if (segment == NULL)
        return LRD_ENOMEM;
    lrd_info info;
    int rc = lrd_open(options, &segment->store);
    if (rc == LRD_OK) {
        lrd_store_info(segment->store, &info);
        bool other = !segment_is_php(&info) && strcmp(info.value_abi, SEGMENT_ABI) != 0;
        if (other && options->open_only) {
            rc = LRD_EMISMATCH;
            snprintf(reason, reason_size,
                     "%.300s has values of another version of Larder (ABI %s), which this version "
                     "does not read; it was left as it is",
                     options->path, info.value_abi);
            lrd_close(segment->store);
        } else if (other) {
            /* The store was written by another version of Larder. Open it again without accept_abi:
             * the core then replaces the store or refuses it. */
            lrd_options own = *options;
            lrd_close(segment->store);
            own.accept_abi = false;
            rc = lrd_open(&own, &segment->store);
        }
    }
    if (rc != LRD_OK) {
        free(segment);
        return rc;
    }
    pthread_once(&watch_forks, segments_watch_forks);
    segment->named = options->path != NULL && stat(options->path, &file) == 0;
    if (segment->named) {
        segment->device = file.st_dev;
        segment->inode = file.st_ino;
    }
    segment->next = segments;
    segments = segment;
    *out = segment;
    return LRD_OK;
}

int larder_segment_open(const char *path, uint64_t size, bool pinned, const char *abi, bool look,
                        larder_segment **out, lrd_store **store, bool *php, char *reason,
                        size_t reason_size)
{
    lrd_info info;
    lrd_options options = {
        .policy = pinned ? LRD_PINNED : LRD_VOLATILE,
        .size = size,
        .path = path,
        .value_abi = abi != NULL ? abi : SEGMENT_ABI,
        .accept_abi = true,
        .open_only = look,
        .base_from = segment_base(path),
    };
    int rc = LRD_OK;
    reason[0] = '\0';
    lrd_thread_leave_closed();
    pthread_mutex_lock(&segments_mutex);
    *out = segment_find(path);
    if (*out == NULL)
        rc = segment_make(&options, out, reason, reason_size);
    else if (!segment_fits(*out, &options, reason, reason_size))
        rc = LRD_EMISMATCH;
    if (rc == LRD_OK) {
        (*out)->users++;
        *store = (*out)->store;
        lrd_store_info(*store, &info);
        *php = segment_is_php(&info);
        if ((*out)->users == 1)
            snprintf(reason, reason_size, "%s", lrd_store_warning(*store));
    } else if (reason[0] == '\0') {
        snprintf(reason, reason_size, "%s", lrd_error_detail());
    }
    pthread_mutex_unlock(&segments_mutex);
    return rc;
}

void larder_segment_close(larder_segment *segment)
{
    pthread_mutex_lock(&segments_mutex);
    bool last = --segment->users == 0;
    for (larder_segment **at = &segments; last && *at != NULL; at = &(*at)->next)
        if (*at == segment) {
            *at = segment->next;
            break;
        }
    if (last) {
        lrd_close(segment->store);
        free(segment);
    }
    pthread_mutex_unlock(&segments_mutex);
}
