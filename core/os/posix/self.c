/*
 * self.c -- this process: its title, its limits, its environment.
 *
 * ps shows the memory that argv and the environment were given in.  Both are
 * copied away first, so that all of it is there for the title.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/proc.h"


extern char  **environ;

static char   *title;              /* the room for it, and its size */
static size_t  title_room;

typedef struct copied  copied;
struct copied {
    copied  *next;
    char    *strings[];            /* NULL, then the texts */
};

static copied  *kept;

/* For the life of the process; whoever holds strings of them may keep them. */
static char  **args __attribute__((used));
static char  **first_environ __attribute__((used));


/*
 * Copies of the strings, in one piece of memory that is never freed: whoever
 * unsets a variable loses the last pointer to its text.  *end moves over those
 * that lie there in a row.
 */
static char **
copy_strings(char **strings, char **end)
{
    char     *text;
    size_t    i, n, len, total;
    copied   *copy;

    for (n = 0, total = 0; strings[n]; n++) {
        total += strlen(strings[n]) + 1;
    }

    copy = lun_calloc(sizeof(copied) + (n + 1) * sizeof(char *) + total);
    copy->next = kept;
    kept = copy;

    text = (char *) (copy->strings + n + 1);

    for (i = 0; i < n; i++) {
        len = strlen(strings[i]) + 1;

        if (strings[i] == *end) {
            *end += len;
        }

        copy->strings[i] = memcpy(text, strings[i], len);
        text += len;
    }

    return copy->strings;
}


/*
 * glibc gives the end of its heap back as soon as 128 KB of it are free, and
 * asks for it again at the next request of some size.  With ten subrequests a
 * request that was up to half of its time, as the heap happened to lie.  These
 * are the limits that it comes to by itself once a block of 1 MB is freed.
 */
static void
keep_freed_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    mallopt(M_TRIM_THRESHOLD, 2 * 1024 * 1024);
}


/*
 * Who starts us may have closed some of the standard streams.  Whatever was
 * opened next would be one of them, and be lost when that is redirected: a
 * listener, for one.  Opening takes the lowest number that is free.
 */
static void
fill_standard_streams(void)
{
    int  fd;

    for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) == -1
            && open("/", O_RDONLY) == -1)
        {
            _exit(2);              /* and there is nobody to tell */
        }
    }
}


char **
lun_proc_init(int *argc, char **argv)
{
    char  *start, *end;

    fill_standard_streams();
    keep_freed_memory();

    if (argv[0] == NULL) {
        return argv;
    }

    start = end = argv[0];
    args = copy_strings(argv, &end);
    first_environ = environ = copy_strings(environ, &end);

    title = start;
    title_room = (size_t) (end - start);

    return args;
}


void
lun_proc_set_title(const char *text)
{
    char  *p;

    if (title_room < 2) {
        return;
    }

    p = lun_fmt(title, title + title_room - 1, LUN_PRODUCT ": %s", text);
    memset(p, 0, (size_t) (title + title_room - p));
}


/* The kernel is asked once in each process: libc remembers none. */
static _Atomic int64_t  own_pid;


static void
forget_pid(void)
{
    atomic_store(&own_pid, 0);
}


int64_t
lun_proc_pid(void)
{
    int64_t             pid = atomic_load(&own_pid);
    static atomic_flag  is_watched = ATOMIC_FLAG_INIT;

    if (pid != 0) {
        return pid;
    }

    if (!atomic_flag_test_and_set(&is_watched)
        && pthread_atfork(NULL, NULL, forget_pid) != 0)
    {
        atomic_flag_clear(&is_watched);
        return getpid();
    }

    pid = getpid();
    atomic_store(&own_pid, pid);
    return pid;
}


int64_t
lun_proc_parent_pid(void)
{
    return getppid();
}


lun_err
lun_proc_program(char *path, size_t room)
{
    ssize_t  n = readlink("/proc/self/exe", path, room);

    if (n == -1) {
        return errno;
    }

    if ((size_t) n == room) {
        return ENAMETOOLONG;
    }

    path[n] = '\0';
    return 0;
}


/* Those that we may run on: a container's share, not the machine's. */
int
lun_proc_cpus(void)
{
    long       n;
    cpu_set_t  set;

    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return CPU_COUNT(&set);
    }

    n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int) n : 1;
}


lun_err
lun_proc_pin(unsigned cpu)
{
    cpu_set_t  set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);

    return sched_setaffinity(0, sizeof(set), &set) == -1 ? errno : 0;
}


lun_err
lun_proc_limit_files(uint64_t limit)
{
    struct rlimit  rl = { .rlim_cur = limit, .rlim_max = limit };

    return setrlimit(RLIMIT_NOFILE, &rl) == -1 ? errno : 0;
}


lun_err
lun_proc_limit_core(uint64_t limit)
{
    struct rlimit  rl = { .rlim_cur = limit, .rlim_max = limit };

    if (limit == INT64_MAX) {
        rl = (struct rlimit) { RLIM_INFINITY, RLIM_INFINITY };
    }

    return setrlimit(RLIMIT_CORE, &rl) == -1 ? errno : 0;
}


lun_err
lun_proc_set_priority(int nice)
{
    return setpriority(PRIO_PROCESS, 0, nice) == -1 ? errno : 0;
}


lun_err
lun_proc_set_dir(const char *path)
{
    return chdir(path) == -1 ? errno : 0;
}


/*
 * stderr stays open: what is wrong with the start is still said there, until
 * the log is.
 */
lun_err
lun_proc_daemon(void)
{
    int    fd;
    pid_t  pid;

    pid = fork();

    if (pid == -1) {
        return errno;
    }

    if (pid > 0) {
        _exit(0);
    }

    lun_lock_init_process();

    if (setsid() == -1) {
        return errno;
    }

    (void) umask(0);

    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd == -1) {
        return errno;
    }

    if (dup2(fd, STDIN_FILENO) == -1 || dup2(fd, STDOUT_FILENO) == -1) {
        return errno;
    }

    if (fd > STDERR_FILENO) {
        (void) close(fd);
    }

    return 0;
}


bool
lun_proc_trim(void)
{
    return malloc_trim(1) != 0;
}


lun_err
lun_proc_redirect_stderr(lun_fd fd)
{
    return fd != STDERR_FILENO && dup2((int) fd, STDERR_FILENO) == -1
           ? errno : 0;
}


bool
lun_proc_alive(int64_t pid)
{
    return pid > 0 && (kill((pid_t) pid, 0) == 0 || errno == EPERM);
}


uint64_t
lun_proc_space(void)
{
    char         text[128], *p = text;
    size_t       n;
    lun_fd       fd;
    struct stat  st;

    if (lun_file_open("/proc/sys/kernel/random/boot_id", LUN_FILE_READ, 0,
                      &fd) == 0)
    {
        if (lun_file_read(fd, text, 64, 0, &n) == 0) {
            p += n;
        }

        lun_file_close(fd);
    }

    if (stat("/proc/self/ns/pid", &st) == 0) {
        p = lun_fmt(p, text + sizeof(text), "%llu",
                    (unsigned long long) st.st_ino);
    }

    /* Without /proc: a container has mostly a name of its own. */
    if (p == text && gethostname(text, sizeof(text)) == 0) {
        p += strnlen(text, sizeof(text));
    }

    return lun_str_hash(lun_str_of(text, (size_t) (p - text)));
}


lun_proc_sent
lun_proc_send_to(int64_t pid, int number)
{
    /* What pid_t would cut off is somebody else's number. */
    if (pid != (pid_t) pid) {
        return LUN_PROC_MISSING;
    }

    if (kill((pid_t) pid, number) == 0) {
        return LUN_PROC_SENT;
    }

    switch (errno) {

    case EPERM:
        return LUN_PROC_DENIED;

    case ESRCH:
        return LUN_PROC_MISSING;

    default:
        return LUN_PROC_REFUSED;
    }
}


const char *
lun_env_get(const char *name)
{
    return getenv(name);
}


void
lun_env_set(const char *name, const char *value)
{
    if (value) {
        (void) setenv(name, value, 1);
    } else {
        (void) unsetenv(name);
    }
}


char **
lun_env_all(void)
{
    return environ;
}
