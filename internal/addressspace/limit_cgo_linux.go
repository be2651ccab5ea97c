package addressspace

/*
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// LEAST is the smallest limit with which the command starts reliably. The runtime reserves 0.6 GB for
// its tables, and the C library reserves memory for each thread. On Linux/amd64, starts failed with 1.5
// GB and not with 2 GB.
#define LEAST (2ULL << 30)

// The C library calls this function before the Go runtime starts its threads.
__attribute__((constructor)) static void check_address_space(void) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= LEAST)
		return;
	dprintf(2, "hybridtop: address space: limit of %llu MiB, want at least %llu MiB (run: ulimit -v unlimited)\n",
		(unsigned long long)limit.rlim_cur >> 20, LEAST >> 20);
	_exit(1);
}
*/
import "C"
