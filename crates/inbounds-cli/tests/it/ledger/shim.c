/* Stands between a program and the system, in tests alone (LD_PRELOAD): counts the calls that change files, and at one of them kills the
 * program, or says from there on that the disk is full or read-only; lets locks do nothing; moves the clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static int is_file(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static long count = 0;

/* One call that changes files; returns whether the disk is full. */
static int step(const char *call, const char *what) {
    static long kill_at = -2, full_at = -2;
    static const char *log = NULL;
    if (kill_at == -2) {
        kill_at = setting("SHIM_KILL_AT", -1);
        full_at = setting("SHIM_FULL_AT", -1);
        log = getenv("SHIM_LOG");
    }
    long now = __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    if (log) {
        char line[512];
        int length = snprintf(line, sizeof line, "%s %s\n", call, what ? what : "");
        long fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
        if (fd >= 0) {
            syscall(SYS_write, fd, line, length);
            syscall(SYS_close, fd);
        }
    }
    if (now == kill_at) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    return full_at >= 0 && now >= full_at;
}

static const char *name_of(int fd, char *place, size_t room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, place, room - 1);
    if (length < 0) return "";
    place[length] = 0;
    const char *slash = strrchr(place, '/');
    return slash ? slash + 1 : place;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__) = NULL; \
    if (!real) real = dlsym(RTLD_NEXT, name)

#define FULL_IF(condition) \
    if (condition) { errno = ENOSPC; return -1; }

#define ON_FD(call, fd) \
    char place[256]; \
    if (is_file(fd)) { FULL_IF(step(call, name_of(fd, place, sizeof place))) }

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    ON_FD("write", fd)
    return real(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    ON_FD("write", fd)
    return real(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    ON_FD("write", fd)
    return real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    ON_FD("write", fd)
    return real(fd, bytes, count, at);
}

int fsync(int fd) {
    REAL(int, "fsync", int);
    char place[256];
    step("fsync", name_of(fd, place, sizeof place));
    return real(fd);
}

int fdatasync(int fd) {
    REAL(int, "fdatasync", int);
    char place[256];
    step("fsync", name_of(fd, place, sizeof place));
    return real(fd);
}

int ftruncate(int fd, off_t length) {
    REAL(int, "ftruncate", int, off_t);
    char place[256];
    step("truncate", name_of(fd, place, sizeof place));
    return real(fd, length);
}

int ftruncate64(int fd, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    char place[256];
    step("truncate", name_of(fd, place, sizeof place));
    return real(fd, length);
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    step("remove", path);
    return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    step("remove", path);
    return real(folder, path, flags);
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    step("rename", to);
    return real(from, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    FULL_IF(step("mkdir", path))
    return real(path, mode);
}

int fchmod(int fd, mode_t mode) {
    REAL(int, "fchmod", int, mode_t);
    char place[256];
    step("chmod", name_of(fd, place, sizeof place));
    return real(fd, mode);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_WRONLY | O_RDWR)) { \
            long from = setting("SHIM_READ_ONLY_AT", -1); \
            if (from >= 0 && count >= from) { errno = EROFS; return -1; } \
        } \
        if (flags & O_CREAT) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
            if (access(path, F_OK) != 0) { FULL_IF(step("create", path)) } \
        } \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int flock(int fd, int operation) {
    REAL(int, "flock", int, int);
    return getenv("SHIM_NO_LOCKS") ? 0 : real(fd, operation);
}

#define FCNTL(name) \
    int name(int fd, int command, ...) { \
        REAL(int, #name, int, int, ...); \
        va_list rest; \
        va_start(rest, command); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        if (getenv("SHIM_NO_LOCKS") && (command == F_SETLK || command == F_SETLKW)) return 0; \
        return real(fd, command, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int clock_gettime(clockid_t clock, struct timespec *time) {
    long done = syscall(SYS_clock_gettime, clock, time);
    if (done == 0 && clock == CLOCK_REALTIME) time->tv_sec += setting("SHIM_CLOCK", 0);
    return (int)done;
}
