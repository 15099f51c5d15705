// Ends as the argument says, after a call.
#include "loom.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

LOOM_ACCEL int twice(int a) { return a + a; }

int main(int argc, char **argv)
{
    int n = 0;
    if (argc != 2 || scanf("%d", &n) != 1)
        return 99;
    printf("%d\n", twice(n));
    fflush(stdout);
    switch (argv[1][0]) {
    case 'a': abort();
    case 'k': raise(SIGKILL); break;
    case 'x': exit(200);
    case 'f':
        if (fork() == 0)
            printf("%d\n", twice(1));
        else
            sleep(20);
        break;
    case 's':
        printf("%d\n", (int)getpid());
        fflush(stdout);
        sleep(60);
        break;
    }
    return 0;
}
