/* Runs a program and writes down every system call of it that changes files below a folder, with its data: recorder LOG FOLDER PROGRAM
 * [ARGUMENT...]. For tests alone. It traces instead of standing in front of the C library, because some calls go past that.
 *
 * A record is a line of fields between tabs, paths relative to the folder, and after "write" so many bytes as the line says:
 *   create PATH | mkdir PATH | remove PATH | rmdir PATH | rename FROM TO | truncate PATH LENGTH | write PATH AT COUNT | sync PATH
 * A call that changes files and is not known here ends the recording with an error, so that nothing is overlooked. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_THREADS 256
#define PATH 4096

typedef struct __ptrace_syscall_info Info;

/* A call that has begun. */
typedef struct {
    pid_t thread;
    long call;
    __u64 arguments[6];
    char path[PATH], other[PATH];
    long long at;
    int is_new;
} Call;

static Call calls[MOST_THREADS];
static FILE *journal;
static const char *folder;

static void fail(const char *what, long number) {
    fprintf(stderr, "recorder: %s %ld: %s\n", what, number, strerror(errno));
    exit(99);
}

static void text_at(pid_t thread, __u64 address, char *text) {
    for (size_t done = 0; done < PATH - 1; done++) {
        struct iovec here = {text + done, 1}, there = {(void *)(address + done), 1};
        if (process_vm_readv(thread, &here, 1, &there, 1, 0) != 1) fail("path of", thread);
        if (!text[done]) return;
    }
    text[PATH - 1] = 0;
}

static void link_of(pid_t thread, const char *what, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/%s", thread, what);
    ssize_t length = readlink(link, path, PATH - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void path_of_fd(pid_t thread, int fd, char *path) {
    char what[32];
    snprintf(what, sizeof what, "fd/%d", fd);
    link_of(thread, what, path);
}

/* The absolute path of a name in a folder of the traced program, without "." in it. */
static void path_at(pid_t thread, int fd, __u64 address, char *path) {
    char name[PATH], whole[2 * PATH + 1];
    text_at(thread, address, name);
    if (name[0] == '/') {
        snprintf(whole, sizeof whole, "%s", name);
    } else {
        char base[PATH];
        if (fd == AT_FDCWD) link_of(thread, "cwd", base);
        else path_of_fd(thread, fd, base);
        snprintf(whole, sizeof whole, "%s/%s", base, name);
    }
    char *to = path;
    for (const char *from = whole; *from && to < path + PATH - 1;) {
        if (from[0] == '/' && from[1] == '.' && (from[2] == '/' || !from[2])) from += 2;
        else if (from[0] == '/' && from[1] == '/') from += 1;
        else *to++ = *from++;
    }
    *to = 0;
}

/* The path below the folder; NULL for others. */
static const char *inside(const char *path) {
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0) return NULL;
    if (path[length] == 0) return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

static long long position(pid_t thread, int fd) {
    char name[64];
    long long at = -1;
    int flags = 0;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", thread, fd);
    FILE *info = fopen(name, "r");
    if (!info || fscanf(info, "pos: %lld flags: %o", &at, &flags) != 2) fail("position in", fd);
    fclose(info);
    if (flags & O_APPEND) {
        snprintf(name, sizeof name, "/proc/%d/fd/%d", thread, fd);
        struct stat about;
        if (stat(name, &about) != 0) fail("size of", fd);
        at = about.st_size;
    }
    return at;
}

static void begun(Call *call) {
    pid_t thread = call->thread;
    __u64 *a = call->arguments;
    call->path[0] = call->other[0] = 0;
    struct stat about;
    switch (call->call) {
#ifdef SYS_open
    case SYS_open: path_at(thread, AT_FDCWD, a[0], call->path); a[2] = a[1]; break;
    case SYS_creat: path_at(thread, AT_FDCWD, a[0], call->path); a[2] = O_CREAT | O_TRUNC; break;
    case SYS_unlink: case SYS_rmdir: case SYS_mkdir: path_at(thread, AT_FDCWD, a[0], call->path); return;
    case SYS_rename: path_at(thread, AT_FDCWD, a[0], call->path); path_at(thread, AT_FDCWD, a[1], call->other); return;
    case SYS_link: case SYS_symlink: path_at(thread, AT_FDCWD, a[1], call->path); return;
#endif
    case SYS_openat: path_at(thread, (int)a[0], a[1], call->path); break;
    case SYS_unlinkat: case SYS_mkdirat: path_at(thread, (int)a[0], a[1], call->path); return;
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2: path_at(thread, (int)a[0], a[1], call->path); path_at(thread, (int)a[2], a[3], call->other); return;
    case SYS_linkat: path_at(thread, (int)a[2], a[3], call->path); return;
    case SYS_symlinkat: path_at(thread, (int)a[1], a[2], call->path); return;
    case SYS_truncate: path_at(thread, AT_FDCWD, a[0], call->path); return;
    case SYS_write: case SYS_writev:
        path_of_fd(thread, (int)a[0], call->path);
        if (inside(call->path)) call->at = position(thread, (int)a[0]);
        return;
    case SYS_pwrite64: case SYS_pwritev: case SYS_ftruncate: case SYS_fsync: case SYS_fdatasync: case SYS_fallocate:
        path_of_fd(thread, (int)a[0], call->path);
        if (call->call == SYS_pwrite64 || call->call == SYS_pwritev) call->at = (long long)a[3];
        return;
    case SYS_sendfile: path_of_fd(thread, (int)a[0], call->path); return;
    case SYS_copy_file_range: case SYS_splice: path_of_fd(thread, (int)a[2], call->path); return;
    case SYS_mmap:
        /* Shared and writable. */
        if ((a[3] & 0x01) && (a[2] & 0x02) && (int)a[4] >= 0) path_of_fd(thread, (int)a[4], call->path);
        return;
    default: return;
    }
    call->is_new = lstat(call->path, &about) != 0;
}

static void bytes(pid_t thread, __u64 address, size_t count) {
    char piece[65536];
    while (count > 0) {
        size_t part = count < sizeof piece ? count : sizeof piece;
        struct iovec here = {piece, part}, there = {(void *)address, part};
        ssize_t done = process_vm_readv(thread, &here, 1, &there, 1, 0);
        if (done <= 0) fail("data of", thread);
        fwrite(piece, 1, done, journal);
        address += done;
        count -= done;
    }
}

static void written(Call *call, const char *path, long long count) {
    fprintf(journal, "write\t%s\t%lld\t%lld\n", path, call->at, count);
    if (call->call == SYS_write || call->call == SYS_pwrite64) {
        bytes(call->thread, call->arguments[1], count);
    } else {
        struct iovec parts[64];
        size_t number = call->arguments[2];
        if (number > 64) fail("parts of a write", (long)number);
        struct iovec here = {parts, number * sizeof *parts}, there = {(void *)call->arguments[1], number * sizeof *parts};
        if (process_vm_readv(call->thread, &here, 1, &there, 1, 0) < 0) fail("parts of", call->thread);
        for (size_t part = 0; part < number && count > 0; part++) {
            size_t some = (long long)parts[part].iov_len < count ? parts[part].iov_len : (size_t)count;
            bytes(call->thread, (__u64)parts[part].iov_base, some);
            count -= some;
        }
    }
    fputc('\n', journal);
}

static void ended(Call *call, long long result) {
    const char *path = inside(call->path), *other = inside(call->other);
    if (result < 0 || (!path && !other)) return;
    __u64 *a = call->arguments;
    switch (call->call) {
#ifdef SYS_open
    case SYS_open: case SYS_creat:
#endif
    case SYS_openat:
        if ((a[2] & O_CREAT) && call->is_new) fprintf(journal, "create\t%s\n", path);
        else if (a[2] & O_TRUNC) fprintf(journal, "truncate\t%s\t0\n", path);
        return;
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev: written(call, path, result); return;
    case SYS_ftruncate: case SYS_truncate: fprintf(journal, "truncate\t%s\t%lld\n", path, (long long)a[1]); return;
    case SYS_fsync: case SYS_fdatasync: fprintf(journal, "sync\t%s\n", path); return;
#ifdef SYS_unlink
    case SYS_unlink: fprintf(journal, "remove\t%s\n", path); return;
    case SYS_rmdir: fprintf(journal, "rmdir\t%s\n", path); return;
    case SYS_mkdir:
#endif
    case SYS_mkdirat: fprintf(journal, "mkdir\t%s\n", path); return;
    case SYS_unlinkat: fprintf(journal, "%s\t%s\n", a[2] & AT_REMOVEDIR ? "rmdir" : "remove", path); return;
#ifdef SYS_rename
    case SYS_rename:
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2:
        if (!path || !other) fail("rename across", call->call);
        fprintf(journal, "rename\t%s\t%s\n", path, other);
        return;
    default: errno = ENOSYS; fail("unknown call", call->call);
    }
}

static Call *of_thread(pid_t thread) {
    for (int i = 0; i < MOST_THREADS; i++) if (calls[i].thread == thread) return &calls[i];
    for (int i = 0; i < MOST_THREADS; i++) if (!calls[i].thread) { calls[i].thread = thread; return &calls[i]; }
    fail("too many threads", thread);
    return NULL;
}

static void stopped(pid_t thread) {
    Info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) < 0) fail("call of", thread);
    Call *call = of_thread(thread);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        call->call = (long)info.entry.nr;
        memcpy(call->arguments, info.entry.args, sizeof call->arguments);
        begun(call);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
        ended(call, info.exit.rval);
    }
}

int main(int count, char **arguments) {
    if (count < 4) return 98;
    folder = arguments[2];
    if (!(journal = fopen(arguments[1], "w"))) fail("log", 0);
    pid_t program = fork();
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execv(arguments[3], arguments + 3);
        _exit(97);
    }
    int status, code = 96;
    if (waitpid(program, &status, 0) != program) fail("start", program);
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, 0, options) < 0) fail("trace", program);
    ptrace(PTRACE_SYSCALL, program, 0, 0);
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
        int signal = 0;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            of_thread(thread)->thread = 0;
            if (thread == program) code = WIFEXITED(status) ? WEXITSTATUS(status) : 95;
            continue;
        }
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) stopped(thread);
        else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP) signal = WSTOPSIG(status);
        ptrace(PTRACE_SYSCALL, thread, 0, signal);
    }
    if (fclose(journal) != 0) fail("log", 1);
    return code;
}
