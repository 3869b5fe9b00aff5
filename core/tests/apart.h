/* apart.h - mounts that only the calling process and its children see. */
#ifndef LARDER_TESTS_APART_H
#define LARDER_TESTS_APART_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static inline bool apart_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return written;
}

/* Enter a new mount namespace. If this process has no right to do so, enter it in a new user
 * namespace. Returns false if the kernel allows neither. */
static inline bool apart_unshare(void)
{
    char users[40], groups[40];
    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    return unshare(CLONE_NEWNS) == 0 ||
           (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
            apart_write("/proc/self/setgroups", "deny") &&
            apart_write("/proc/self/uid_map", users) && apart_write("/proc/self/gid_map", groups));
}

/* Mount a tmpfs with these options over a folder. Returns false if the kernel refuses. In a chroot
 * whose root is no mount point, this works only in /dev/shm. */
static inline bool apart_tmpfs(const char *folder, const char *options)
{
    static bool apart;
    if (!apart)
        apart =
            apart_unshare() && (mount("none", "/", "none", MS_REC | MS_PRIVATE, "") == 0 ||
                                (strncmp(folder, "/dev/shm/", 9) == 0 &&
                                 mount("none", "/dev/shm", "none", MS_REC | MS_PRIVATE, "") == 0));
    return apart && mount("tmpfs", folder, "tmpfs", 0, options) == 0;
}

/* Mount a tmpfs over the folder that contains `path`. */
static inline bool apart_tmpfs_of(const char *path, const char *options)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    return apart_tmpfs(folder, options);
}

#endif
