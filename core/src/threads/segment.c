/* segment.c - finds or creates the file of a segment, and decides whether it may be used. Begin
 * reading at segment_open_named().
 *
 * Three locks are used. An OFD lock belongs to an open file description, a POSIX lock to a process.
 * The kernel releases the lock of a dead holder.
 * - PATH.lock, whole file, OFD: held while a process finds, judges, makes or adopts a named
 *   segment.
 * - byte 0 of the segment, OFD: all attached processes share this lock. A process that gets it
 *   exclusively is alone. The lock lasts until all descriptors and mappings from the same open()
 *   are gone, including those of forked children.
 * - byte 1 of the segment, POSIX: held while a process checks and formats the file of an inherited
 *   descriptor. An OFD lock would not keep apart processes that inherited the descriptor.
 *
 * A named segment gets its name only when it is complete, so a creator that is killed leaves no
 * file. A file that is not a segment of Larder is never removed. */
#include "threads/segment.h"
#include "ground/error.h"
#include "ground/geometry.h"
#include "ground/clock.h"
#include "ground/lease.h"
#include "memory/page.h"
#include "entries/grow.h"
#include "mending/vet.h"
#include "threads/format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h> /* RENAME_NOREPLACE */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* maximum time (ms) to wait while another process opens the store */
#define SEGMENT_WAIT_MS 30000u
#ifdef LRD_FAILPOINTS
uint64_t lrd__segment_wait_ms = SEGMENT_WAIT_MS; /* tests set a shorter time */
#else
#define lrd__segment_wait_ms SEGMENT_WAIT_MS
#endif
#define SEGMENT_NAP_MS 2u /* time (ms) between two attempts to get a lock */
/* maximum number of attempts to open or create a file: other processes may create or remove a file
 * of the same name meanwhile */
#define SEGMENT_TRIES 16
#define SEGMENT_VAIN 8u /* maximum number of elements of segment_vain */
#define SEGMENT_MODE 0600
#define SEGMENT_NEW (O_CREAT | O_EXCL | O_NOFOLLOW)
/* the bytes of the segment that processes lock; see the head of this file */
#define SEGMENT_ATTACHED 0
#define SEGMENT_OPENING 1

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* ---- locks ---- */

/* Try to lock a byte of the file. `command` is F_OFD_SETLK or F_SETLK. Returns LRD_HELD if another
 * lock conflicts. */
static LRD__HOT int segment_lock_try(const lrd_store *store, int fd, int command, short type,
                                     off_t byte)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    while (fcntl(fd, command, &lock) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            return LRD_HELD;
        if (errno != EINTR)
            return lrd__segment_fail_errno(store, "fcntl lock");
    }
    return LRD_OK;
}

/* Inodes of files whose locks this process could not get in time; 0 is an unused element. Later,
 * the process waits for the lock of such a file for at most LRD_LOCK_WAIT_MS. When it gets the
 * lock, it removes the file's inode. */
static _Atomic uint64_t segment_vain[SEGMENT_VAIN] LRD__OF_WORKER;

/* Return the element of segment_vain that has this inode. If there is none, returns an unused
 * element; if all are used, the first one. */
static LRD__HOT _Atomic uint64_t *segment_vain_of(uint64_t inode)
{
    _Atomic uint64_t *unused = segment_vain;
    for (uint32_t i = SEGMENT_VAIN; i-- > 0;) {
        uint64_t seen = atomic_load_explicit(segment_vain + i, memory_order_relaxed);
        if (seen == inode)
            return segment_vain + i;
        if (seen == 0)
            unused = segment_vain + i;
    }
    return unused;
}

static LRD__HOT int segment_lock_wait(const lrd_store *store, int fd, int command, short type,
                                      off_t byte)
{
    struct stat file;
    uint64_t inode = fstat(fd, &file) == 0 ? file.st_ino : 0;
    _Atomic uint64_t *noted = segment_vain_of(inode);
    bool vain = inode != 0 && atomic_load_explicit(noted, memory_order_relaxed) == inode;
    uint64_t ms = vain ? LRD_LOCK_WAIT_MS : lrd__segment_wait_ms;
    uint64_t until = lrd__clock_monotonic_ms() + ms;
    int code = segment_lock_try(store, fd, command, type, byte);
    while (code == LRD_HELD && lrd__clock_monotonic_ms() < until) {
        lrd__clock_nap(SEGMENT_NAP_MS);
        code = segment_lock_try(store, fd, command, type, byte);
    }
    if (code == LRD_HELD || vain)
        atomic_store_explicit(noted, code == LRD_HELD ? inode : 0, memory_order_relaxed);
    if (code == LRD_HELD)
        return lrd__fail(LRD_EBUSY, "%.300s: another process is opening it; waited for %llu ms",
                         lrd__segment_label(store), (unsigned long long)ms);
    return code;
}

/* Unlock a byte of the file. Closing the file is not enough: a forked child may share the open file
 * description of an OFD lock. */
static void segment_unlock(int fd, int command, off_t byte)
{
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    (void)fcntl(fd, command, &lock);
}

/* ---- files ---- */

static const char *segment_type_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFLNK:
        return "a symbolic link";
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a fifo";
    case S_IFSOCK:
        return "a socket";
    case S_IFREG:
        return "a regular file";
    default:
        return "a device";
    }
}

static int segment_check_file(const char *path, const struct stat *file)
{
    if (!S_ISREG(file->st_mode))
        return lrd__fail(LRD_EPERM, "%.300s: is %s; a regular file is required", path,
                         segment_type_name(file->st_mode));
    if (file->st_uid != geteuid())
        return lrd__fail(LRD_EPERM,
                         "%.300s: belongs to user %u; user %u, the user of this process, "
                         "is required",
                         path, (unsigned)file->st_uid, (unsigned)geteuid());
    if ((file->st_mode & 07777) != SEGMENT_MODE)
        return lrd__fail(LRD_EPERM, "%.300s: has mode %04o; %04o is required", path,
                         (unsigned)file->st_mode & 07777, (unsigned)SEGMENT_MODE);
    if (file->st_nlink > 1)
        return lrd__fail(LRD_EPERM, "%.300s: has %lu names; a single one is required", path,
                         (unsigned long)file->st_nlink);
    return LRD_OK;
}

static int segment_name(char name[PATH_MAX], const char *path, const char *suffix)
{
    if (snprintf(name, PATH_MAX, "%s%s", path, suffix) >= PATH_MAX)
        return lrd__fail(LRD_EINVAL, "path is longer than a file's name can be (%d bytes)",
                         PATH_MAX - 1);
    return LRD_OK;
}

/* Check the owner, the type and the mode of a file, and open it. Returns LRD_MISS if there is no
 * file with this name. */
static int segment_open_file(const lrd_store *store, const char *path, int *fd, struct stat *file)
{
    *fd = -1;
    if (lstat(path, file) != 0)
        return errno == ENOENT ? LRD_MISS : lrd__segment_fail_errno(store, "lstat");
    int code = segment_check_file(path, file);
    if (code != LRD_OK)
        return code;
    *fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return errno == ENOENT ? LRD_MISS : lrd__segment_fail_errno(store, "open");
    if (fstat(*fd, file) != 0)
        code = lrd__segment_fail_errno(store, "fstat");
    else
        code = file->st_nlink == 0 ? LRD_MISS : segment_check_file(path, file);
    if (code == LRD_OK)
        return LRD_OK;
    close(*fd);
    *fd = -1;
    return code;
}

static void segment_unlock_name(int lock)
{
    segment_unlock(lock, F_OFD_SETLK, 0);
    close(lock);
}

/* Remove the file's name from the end of a path. Returns the path of the folder. */
static const char *segment_cut_name(char path[PATH_MAX])
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    *slash = '\0';
    return slash == path ? "/" : path;
}

/* Report that no file could be created in the store's folder. errno is the reason. If the file
 * system has no free inode, the message says so. */
static int segment_fail_create(const lrd_store *store, const char *what)
{
    char path[PATH_MAX];
    struct statvfs system;
    int error = errno;
    if (error == ENOSPC && segment_name(path, store->path, "") == LRD_OK &&
        statvfs(segment_cut_name(path), &system) == 0 && system.f_files != 0 && system.f_ffree == 0)
        return lrd__fail(LRD_ESYS,
                         "%.250s: %s: all %llu inodes of the file system are in use (df -i): "
                         "remove files there, or choose another",
                         lrd__segment_label(store), what, (unsigned long long)system.f_files);
    errno = error;
    return lrd__segment_fail_errno(store, what);
}

/* Create a file with the mode 0600, whatever the umask is. Returns -1 and sets errno on failure. */
static int segment_open_new(const char *path, int flags)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | flags, SEGMENT_MODE);
    if (fd >= 0)
        (void)fchmod(fd, SEGMENT_MODE);
    return fd;
}

/* Open or create PATH.lock, and lock it. Returns LRD_MISS if the caller must try again, because
 * another process created or removed the file meanwhile. */
static int segment_lock_file(const lrd_store *store, const char *name, int *lock)
{
    struct stat file;
    int code = segment_open_file(store, name, lock, &file);
    if (code == LRD_MISS) {
        *lock = segment_open_new(name, SEGMENT_NEW);
        if (*lock < 0)
            return errno == EEXIST ? LRD_MISS
                                   : segment_fail_create(store, "cannot make its .lock file");
        code = LRD_OK;
    }
    if (code != LRD_OK)
        return code;
    code = segment_lock_wait(store, *lock, F_OFD_SETLK, F_WRLCK, 0);
    if (code == LRD_OK && (fstat(*lock, &file) != 0 || file.st_nlink == 0))
        code = LRD_MISS;
    if (code != LRD_OK)
        segment_unlock_name(*lock);
    return code;
}

static int segment_lock_name(const lrd_store *store, int *lock)
{
    char name[PATH_MAX];
    int code = segment_name(name, store->path, ".lock");
    if (code != LRD_OK)
        return code;
    for (int i = 0; i < SEGMENT_TRIES; i++) {
        code = segment_lock_file(store, name, lock);
        if (code != LRD_MISS)
            return code;
    }
    return lrd__fail(LRD_EBUSY, "%.300s: another process keeps removing it", name);
}

/* ---- new named segments ---- */

/* Create the store's file without a name. If the file system cannot do that, creates it as
 * PATH.larder-new, after removing a file of this name that a killed creator has left. */
static int segment_file_make(lrd_store *store, char temporary[PATH_MAX])
{
    int code = segment_name(temporary, store->path, "");
    if (code != LRD_OK)
        return code;
    store->fd = segment_open_new(segment_cut_name(temporary), O_TMPFILE);
    temporary[0] = '\0';
    if (store->fd >= 0)
        return LRD_OK;
    if (errno != EOPNOTSUPP && errno != EISDIR)
        return segment_fail_create(store, "cannot be made");

    code = segment_name(temporary, store->path, ".larder-new");
    if (code != LRD_OK)
        return code;
    store->fd = segment_open_new(temporary, SEGMENT_NEW);
    if (store->fd < 0 && errno == EEXIST && unlink(temporary) == 0)
        store->fd = segment_open_new(temporary, SEGMENT_NEW);
    if (store->fd >= 0)
        return LRD_OK;
    temporary[0] = '\0';
    return segment_fail_create(store, "cannot be made");
}

/* Give the finished file the store's name. Returns LRD_EXISTS if there is such a file already. */
static int segment_file_name(const lrd_store *store, char temporary[PATH_MAX])
{
    char open_file[40];
    int rc;
    if (temporary[0] == '\0') {
        snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", store->fd);
        rc = linkat(AT_FDCWD, open_file, AT_FDCWD, store->path, AT_SYMLINK_FOLLOW);
    } else {
        rc = (int)syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, store->path,
                          RENAME_NOREPLACE); /* musl has no function for this */
        if (rc == 0)
            temporary[0] = '\0';
    }
    if (rc == 0)
        return LRD_OK;
    return errno == EEXIST ? LRD_EXISTS : lrd__segment_fail_errno(store, "cannot be named");
}

static int segment_create_named(lrd_store *store, const lrd__request *request)
{
    char temporary[PATH_MAX];
    int code = segment_file_make(store, temporary);
    if (code != LRD_OK)
        return code;
    LRD__FAILPOINT("segment_made");
    code = lrd__mapping_create(store, request);
    if (code == LRD_OK)
        code = segment_lock_try(store, store->fd, F_OFD_SETLK, F_RDLCK, SEGMENT_ATTACHED);
    if (code == LRD_OK)
        code = segment_file_name(store, temporary);
    if (temporary[0] != '\0')
        unlink(temporary);
    LRD__FAILPOINT("segment_named");
    return code;
}

/* ---- named segments that exist ---- */

/* Read the header of the store's file. If the file is shorter than a header, the rest of *header is
 * 0. */
static int segment_read_header(const lrd_store *store, lrd__header *header)
{
    memset(header, 0, sizeof *header);
    ssize_t got = pread(store->fd, header, sizeof *header, 0);
    return got >= 0 ? LRD_OK : lrd__segment_fail_errno(store, "read");
}

/* Refuse the file if a slot has a living owner. Uses pread(), because a load through a mapping
 * would fault where the file has no memory. */
static int segment_check_slots(const lrd_store *store, const lrd__request *request,
                               const lrd__header *header, const lrd__geometry *geo)
{
    /* the beginning of a slot, without the large ledger */
    uint8_t head[offsetof(lrd__slot, hits)];
    lrd__mutex owner;
    lrd__who who;
    uint32_t claimed;
    uint32_t high = atomic_load_explicit(&header->slots_high, memory_order_relaxed);
    if (geo->file_size == 0 ||
        memcmp(header->boot_id, request->self.boot_id, sizeof header->boot_id) != 0)
        return LRD_OK;
    for (uint32_t i = 0; i < geo->slots && i < high; i++) {
        off_t at = (off_t)(geo->slots_at + lrd__slot_begin(i));
        if (pread(store->fd, head, sizeof head, at) != (ssize_t)sizeof head)
            return LRD_OK;
        memcpy(&owner, head + offsetof(lrd__slot, owner), sizeof owner);
        memcpy(&who, head + offsetof(lrd__slot, who), sizeof who);
        memcpy(&claimed, head + offsetof(lrd__slot, claimed), sizeof claimed);
        int tid = lrd__who_tid(&who);
        uint64_t started = lrd__who_started(&who);
        /* Check the slot's lease, too: a dead thread's id may still be in /proc after the file's
         * lock was released, but the kernel has already marked the lease. */
        bool leased = lrd__mutex_owner(&owner) == (uint32_t)tid;
        if (claimed != 0 && tid > 0 && leased && started != 0 &&
            lrd__thread_started(tid) == started)
            return lrd__fail(LRD_EMISMATCH,
                             "%.300s: thread %d still uses it (slot %u), though without the lock",
                             store->path, tid, i);
    }
    return LRD_OK;
}

/* Unlink store->path if it still names `file`. Returns LRD_MISS if the path then names no file, or
 * LRD_EXISTS if it names another file. */
static int segment_remove(lrd_store *store, const struct stat *file)
{
    struct stat named;
    LRD__FAILPOINT("segment_unfit");
    if (lstat(store->path, &named) != 0)
        return errno == ENOENT ? LRD_MISS : lrd__segment_fail_errno(store, "lstat");
    if (named.st_dev != file->st_dev || named.st_ino != file->st_ino)
        return LRD_EXISTS;
    if (unlink(store->path) != 0)
        return lrd__segment_fail_errno(store, "cannot be removed");
    LRD__FAILPOINT("segment_removed");
    return LRD_MISS;
}

static LRD__HOT int segment_check_namespace(const lrd_store *store, const lrd__request *request,
                                            const lrd__header *header)
{
    uint64_t device = atomic_load_explicit(&header->namespace_device, memory_order_relaxed);
    uint64_t inode = atomic_load_explicit(&header->namespace_inode, memory_order_relaxed);
    uint64_t time = atomic_load_explicit(&header->time_namespace, memory_order_relaxed);
    if (device == request->self.namespace_device && inode == request->self.namespace_inode &&
        time == request->self.time_namespace)
        return LRD_OK;
    if (time != request->self.time_namespace)
        return lrd__fail(LRD_ENAMESPACE,
                         "%.300s: its users are in time namespace %llu, this process in %llu",
                         lrd__segment_label(store), (unsigned long long)time,
                         (unsigned long long)request->self.time_namespace);
    return lrd__fail(LRD_ENAMESPACE,
                     "%.300s: its users are in PID namespace %llu:%llu, this process in %llu:%llu",
                     lrd__segment_label(store), (unsigned long long)device,
                     (unsigned long long)inode, (unsigned long long)request->self.namespace_device,
                     (unsigned long long)request->self.namespace_inode);
}

/* Return LRD_EMISMATCH, and write the reason to `why`, if the segment's users were in another time
 * namespace: their clocks differ from those of this process. */
static int segment_judge_times(const lrd__header *header, const lrd__identity *self,
                               char why[LRD__WHY_MAX])
{
    uint64_t time = atomic_load_explicit(&header->time_namespace, memory_order_relaxed);
    if (time == self->time_namespace)
        return LRD_OK;
    snprintf(why, LRD__WHY_MAX,
             "its times are those of time namespace %llu, this process is in %llu",
             (unsigned long long)time, (unsigned long long)self->time_namespace);
    return LRD_EMISMATCH;
}

/* Adopt a segment that no process uses, in any state. The caller has the exclusive lock of the
 * file, and has checked the settings in the header. */
static int segment_adopt(lrd_store *store, const lrd__request *request, const lrd__header *header)
{
    int code = lrd__mapping_attach(store, request, header, true);
    if (code != LRD_OK)
        return code;
    code = lrd__mapping_commit_used(store);
    if (code != LRD_OK)
        return code;
    lrd__namespaces_record(store->header, &request->self);
    LRD__FAILPOINT("segment_adopting");
    lrd__clock_refresh(store);
    lrd__assert_alone(store);
    code = lrd__vet_segment(store);
    lrd__assert_alone(NULL);
    if (code != LRD_OK)
        return code;
    LRD__FAILPOINT("segment_adopted");
    return segment_lock_try(store, store->fd, F_OFD_SETLK, F_RDLCK, SEGMENT_ATTACHED);
}

/* True if the segment may have entries. Either its state is LRD__STATE_READY, or this build cannot
 * read its state, because the segment has another layout. */
static bool segment_had_contents(const lrd__header *header)
{
    return header->magic == LRD__MAGIC &&
           (header->layout != LRD__LAYOUT ||
            atomic_load_explicit(&header->state, memory_order_relaxed) == LRD__STATE_READY);
}

/* Add to store->warning that this call of lrd_open() has replaced a file that may have had
 * entries. */
static void segment_say_replaced(lrd_store *store)
{
    size_t used = strlen(store->warning);
    if (store->replaced[0] != 0)
        snprintf(store->warning + used, sizeof store->warning - used,
                 "%s%.120s: was replaced by an empty store, as no process used it: %s",
                 used != 0 ? "; " : "", store->path, store->replaced);
}

/* Attach to the segment in the file at store->path, or remove a useless file. Returns LRD_MISS if
 * the file was removed, or LRD_EXISTS (try again) if the path names another file by now. */
static int segment_join(lrd_store *store, const lrd__request *request, const struct stat *file,
                        bool alone)
{
    lrd__header header;
    char why[LRD__WHY_MAX] = "";

    int code = segment_read_header(store, &header);
    if (code != LRD_OK)
        return code;
    if (header.magic != LRD__MAGIC && (file->st_size > 0 || !alone))
        return lrd__fail(LRD_EFORMAT, "%.300s: is not a larder segment; it was left as it is%s",
                         store->path,
                         request->options->open_only ? "" : ": remove it, or choose another name");
    store->geo = (lrd__geometry){.size = 0};
    int verdict =
        lrd__header_judge(&header, file, request->options, &request->self, &store->geo, why);
    if (!alone && verdict != LRD_OK)
        return lrd__fail(verdict, "%.120s: %s", store->path, why);
    if (!alone) {
        code = segment_check_namespace(store, request, &header);
        return code != LRD_OK ? code : lrd__mapping_attach(store, request, &header, false);
    }
    /* Also check the owners of slots. In an overlay file system, a process may have opened the
     * lower file, and its lock on that file does not conflict with ours. Skip this check for a
     * truncated file, which has no slots, and for a copy (another inode), whose slots are those of
     * the original. Do not compare device numbers: they prove nothing in an overlay. */
    if ((uint64_t)file->st_size >= store->geo.file_size && header.inode == file->st_ino)
        code = segment_check_slots(store, request, &header, &store->geo);
    if (code != LRD_OK)
        return code;
    if (verdict == LRD_OK)
        verdict = segment_judge_times(&header, &request->self, why);
    if (verdict == LRD_OK &&
        (!lrd__grow_sound(&header.view, &store->geo) || !lrd__pages_sound(&header, &store->geo))) {
        verdict = LRD_EFORMAT;
        snprintf(why, sizeof why, "it is damaged: remove it to start afresh");
    }
    if (verdict == LRD_EMISMATCH && request->options->open_only)
        return lrd__fail(verdict,
                         "%.120s: %s; no process uses it, so the next one that may create files "
                         "makes it again, empty",
                         store->path, why);
    if (verdict != LRD_OK && request->options->open_only)
        return lrd__fail(verdict, "%.120s: %s", store->path, why);
    if (verdict == LRD_OK)
        return segment_adopt(store, request, &header);
    code = segment_remove(store, file);
    if (code == LRD_MISS && segment_had_contents(&header))
        snprintf(store->replaced, sizeof store->replaced, "%s", why);
    return code;
}

/* Find the file at store->path, and attach to its segment. Returns LRD_MISS if there is none, or if
 * it was useless and was removed. */
static int segment_find(lrd_store *store, const lrd__request *request)
{
    struct stat file;
    int code = segment_open_file(store, store->path, &store->fd, &file);
    if (code != LRD_OK)
        return code;
    code = segment_lock_try(store, store->fd, F_OFD_SETLK, F_WRLCK, SEGMENT_ATTACHED);
    bool alone = code == LRD_OK;
    if (code == LRD_HELD)
        code = segment_lock_wait(store, store->fd, F_OFD_SETLK, F_RDLCK, SEGMENT_ATTACHED);
    if (code != LRD_OK)
        return code;
    code = segment_join(store, request, &file, alone);
    if (code != LRD_OK)
        segment_unlock(store->fd, F_OFD_SETLK, SEGMENT_ATTACHED);
    return code;
}

/* Check that the store's file and its .lock file exist, because an open with open_only must not
 * create them. */
static int segment_must_exist(const lrd_store *store)
{
    char name[PATH_MAX];
    struct stat file;
    int code = segment_name(name, store->path, ".lock");
    if (code == LRD_OK && lstat(store->path, &file) != 0)
        return lrd__segment_fail_errno(store, "lstat");
    if (code == LRD_OK && lstat(name, &file) != 0)
        return lrd__fail(LRD_EFORMAT, "%.300s: has no .lock file beside it, as a segment has",
                         store->path);
    return code;
}

static int segment_open_named(lrd_store *store, const lrd__request *request)
{
    int lock;
    int code = request->options->open_only ? segment_must_exist(store) : LRD_OK;
    if (code == LRD_OK)
        code = segment_lock_name(store, &lock);
    if (code != LRD_OK)
        return code;
    LRD__FAILPOINT("segment_locked");
    for (int i = 0; i < SEGMENT_TRIES; i++) {
        code = segment_find(store, request);
        if (code == LRD_MISS && request->options->open_only)
            code = lrd__fail(LRD_ESYS, "%.300s: has gone", store->path);
        if (code == LRD_MISS) {
            lrd__mapping_drop(store);
            code = segment_create_named(store, request);
        }
        if (code != LRD_EXISTS)
            break;
        lrd__mapping_drop(store);
    }
    segment_unlock_name(lock);
    if (code == LRD_EXISTS)
        return lrd__fail(LRD_EBUSY, "%.300s: another process keeps replacing it", store->path);
    segment_say_replaced(store);
    return code;
}

/* ---- descriptors ---- */

/* Seal the size of a memfd, so that no process can truncate it. Returns false if the file cannot be
 * sealed (a regular file). */
static bool segment_seal(int fd)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    if (fcntl(fd, F_ADD_SEALS, seals | F_SEAL_SEAL) == 0)
        return true;
    /* no seal can be added if another process has set F_SEAL_SEAL, so see which seals the file
     * has */
    int has = fcntl(fd, F_GET_SEALS);
    return has >= 0 && (has & seals) == seals;
}

static int segment_open_anonymous(lrd_store *store, const lrd__request *request)
{
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    store->fd = memfd_create("larder", flags | MFD_NOEXEC_SEAL);
    if (store->fd < 0 && errno == EINVAL)
        store->fd = memfd_create("larder", flags);
    if (store->fd < 0)
        return lrd__segment_fail_errno(store, "memfd_create");
    int code = lrd__mapping_create(store, request);
    if (code == LRD_OK && !segment_seal(store->fd))
        code = lrd__segment_fail_errno(store, "cannot be sealed");
    return code;
}

static bool segment_is_blank(const lrd__header *header)
{
    const uint8_t *byte = (const uint8_t *)header;
    uint32_t state = atomic_load_explicit(&header->state, memory_order_relaxed);
    if (header->magic == LRD__MAGIC && state == LRD__STATE_BLANK)
        return true; /* the process that was formatting this file was killed */
    return byte[0] == 0 && memcmp(byte, byte + 1, sizeof *header - 1) == 0;
}

static int segment_settle_descriptor(lrd_store *store, const lrd__request *request)
{
    lrd__header header;
    struct stat file;
    char why[LRD__WHY_MAX] = "";

    int code = segment_read_header(store, &header);
    if (code != LRD_OK)
        return code;
    if (segment_is_blank(&header)) {
        if (ftruncate(store->fd, 0) != 0)
            return lrd__segment_fail_errno(store, "cannot be emptied");
        return lrd__mapping_create(store, request);
    }
    if (header.magic != LRD__MAGIC)
        return lrd__fail(LRD_EFORMAT, "the descriptor's file is not a larder segment");
    if (fstat(store->fd, &file) != 0)
        return lrd__segment_fail_errno(store, "fstat");
    code = lrd__header_judge(&header, &file, request->options, &request->self, &store->geo, why);
    if (code != LRD_OK)
        return lrd__fail(code, "%s: %s", lrd__segment_label(store), why);
    code = segment_check_namespace(store, request, &header);
    return code != LRD_OK ? code : lrd__mapping_attach(store, request, &header, false);
}

/* The id of this process while one of its threads is in segment_open_descriptor(), otherwise 0.
 * Other threads of this process wait for 0, because a POSIX lock does not keep out threads of its
 * own process. A forked child ignores its parent's id. */
static _Atomic int segment_opener LRD__OF_WORKER;

static int segment_open_descriptor(lrd_store *store, int fd, const lrd__request *request)
{
    struct stat file;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_RDWR || (flags & O_PATH) != 0)
        return lrd__fail(LRD_EINVAL, "fd is %d; it must be open for reading and writing", fd);
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return lrd__fail(LRD_EINVAL, "fd is %d, %s; it must be a memfd or a regular file", fd,
                         segment_type_name(file.st_mode));
    store->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (store->fd < 0)
        return lrd__segment_fail_errno(store, "dup");

    int self = getpid(), seen = 0;
    while (!atomic_compare_exchange_strong_explicit(&segment_opener, &seen, self,
                                                    memory_order_acquire, memory_order_relaxed))
        if (seen == self) {
            lrd__clock_nap(SEGMENT_NAP_MS);
            seen = 0;
        }
    int code = segment_lock_wait(store, store->fd, F_SETLK, F_WRLCK, SEGMENT_OPENING);
    if (code == LRD_OK)
        code = segment_lock_wait(store, store->fd, F_OFD_SETLK, F_RDLCK, SEGMENT_ATTACHED);
    if (code == LRD_OK)
        code = segment_settle_descriptor(store, request);
    if (code == LRD_OK && !segment_seal(store->fd))
        lrd__mapping_watch(store);
    segment_unlock(store->fd, F_SETLK, SEGMENT_OPENING);
    atomic_store_explicit(&segment_opener, 0, memory_order_release);
    return code;
}

/* Store an absolute copy of the path, because the process may change its working directory. */
static int segment_keep_path(lrd_store *store, const char *path)
{
    char directory[PATH_MAX], whole[PATH_MAX];
    if (path[0] != '/') {
        if (getcwd(directory, sizeof directory) == NULL)
            return lrd__fail(LRD_ESYS, "%.300s: getcwd: %s", path, strerror(errno));
        if (snprintf(whole, sizeof whole, "%s/%s", directory, path) >= (int)sizeof whole)
            return lrd__fail(LRD_EINVAL, "path is longer than a file's name can be (%d bytes)",
                             PATH_MAX - 1);
        path = whole;
    }
    store->path = strdup(path);
    return store->path != NULL ? LRD_OK : lrd__fail(LRD_ENOMEM, "no memory for the path");
}

LRD__HOT int lrd__segment_open(lrd_store *store, int fd, const lrd_options *options)
{
    lrd__request request = {.options = options};
    store->fd = -1;
    int code = lrd__geometry_choose(options, &request.geo);
    if (code != LRD_OK)
        return code;
    if (fd >= 0 && options->path != NULL)
        return lrd__fail(LRD_EINVAL, "path must be NULL where a descriptor is given");
    code = lrd__identity_read(&request.self);
    if (code != LRD_OK)
        return code;
    if (options->path != NULL && (code = segment_keep_path(store, options->path)) != LRD_OK)
        return code;
    if (fd >= 0)
        code = segment_open_descriptor(store, fd, &request);
    else if (store->path != NULL)
        code = segment_open_named(store, &request);
    else
        code = segment_open_anonymous(store, &request);
    if (code == LRD_OK && store->path != NULL)
        lrd__mapping_watch(store);
    if (code != LRD_OK)
        lrd__segment_unmap(store);
    return code;
}
