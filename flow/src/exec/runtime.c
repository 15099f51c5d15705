/* The process's side of `loom exec`: a call of a function on the fabric goes to the parent through a socket and comes
 * back with the result. Meanwhile the parent reads and writes this process's memory by itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A request: this, then `count` slots of 8 bytes. The answer: a word, 1 for a fault, then `results` slots. */
struct request {
    uint32_t function, count, process, results;
};

static int parent = -1;
/* There is one fabric: calls from several threads follow each other. */
static pthread_mutex_t fabric = PTHREAD_MUTEX_INITIALIZER;

static void leave(const char *why)
{
    fprintf(stderr, "loom: %s\n", why);
    _exit(1);
}

static void transfer(int out, void *bytes, size_t count)
{
    for (char *at = bytes; count;) {
        const ssize_t n = out ? send(parent, at, count, MSG_NOSIGNAL) : recv(parent, at, count, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            leave("`loom exec` is not there any more");
        at += n;
        count -= (size_t)n;
    }
}

/* Before every constructor of the program: those may call too. */
__attribute__((constructor(101))) static void begin(void)
{
    const char *path = getenv("LOOM_EXEC");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char ready;
    if (!path)
        leave("this program was built by `loom exec` and runs under it alone");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int low = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (low < 0 || connect(low, (struct sockaddr *)&address, sizeof address))
        leave("`loom exec` is not there any more");
    /* The program finds the descriptors free that it would find free without us. */
    parent = fcntl(low, F_DUPFD_CLOEXEC, 200);
    if (parent < 0)
        leave("no descriptor is left");
    close(low);
    unsetenv("LOOM_EXEC");
    /* Not before it has opened this process's memory. */
    transfer(0, &ready, sizeof ready);
}

void __loom_call(uint32_t function, uint64_t *slots, uint32_t count, uint32_t results)
{
    const int error = errno;
    struct request request = {function, count, (uint32_t)getpid(), results};
    uint64_t fault;
    pthread_mutex_lock(&fabric);
    transfer(1, &request, sizeof request);
    transfer(1, slots, count * sizeof *slots);
    transfer(0, &fault, sizeof fault);
    if (fault) {
        /* What the program printed so far is shown. */
        fflush(NULL);
        _exit(1);
    }
    transfer(0, slots, results * sizeof *slots);
    pthread_mutex_unlock(&fabric);
    errno = error;
}
