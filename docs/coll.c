/* MPI's collectives among any number of ranks, for hybridtop bench collectives --peers DIR.
 * NAME is the mean time of calls one behind the other. NAME_apart is what a call takes beyond
 * the barrier behind it, the median of 21 turns of both. The argument scales the repetitions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int me, np, iters;

static int cmp(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void print(const char *name, const char *suffix, double s) {
	if (me == 0) {
		printf("np%d_%s%s %.3f us\n", np, name, suffix, s * 1e6 < .001 ? .001 : s * 1e6);
		fflush(stdout);
	}
}

#define BARRIER MPI_Barrier(MPI_COMM_WORLD)

#define ROW(name, op) do { \
	for (int i = 0; i < iters / 10 + 1; i++) op; \
	BARRIER; \
	double t0 = MPI_Wtime(); \
	for (int i = 0; i < iters; i++) op; \
	BARRIER; \
	print(name, "", (MPI_Wtime() - t0) / iters); \
} while (0)

#define APART(name, op) do { \
	int it = iters / 20 + 1; \
	double d[21]; \
	for (int k = 0; k < 21; k++) { \
		BARRIER; \
		double t0 = MPI_Wtime(); \
		for (int i = 0; i < it; i++) { op; BARRIER; } \
		double t1 = MPI_Wtime(); \
		for (int i = 0; i < it; i++) BARRIER; \
		double t2 = MPI_Wtime(); \
		d[k] = ((t1 - t0) - (t2 - t1)) / it; \
	} \
	qsort(d, 21, sizeof *d, cmp); \
	print(name, "_apart", d[10]); \
} while (0)

#define BOTH(times, name, op) do { \
	iters = (int)((times) * scale); \
	if (iters < 5) iters = 5; \
	ROW(name, op); \
	APART(name, op); \
} while (0)

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	double scale = argc > 1 ? atof(argv[1]) : 1;
	char *a = calloc(1, 65536), *b = calloc(1, 65536), *s = calloc(np, 4096), *r = calloc(np, 4096);
	if (!a || !b || !s || !r)
		MPI_Abort(MPI_COMM_WORLD, 1);
	iters = (int)(80000. / np * scale);
	if (iters < 5) iters = 5;
	ROW("barrier", BARRIER);
	BOTH(80000. / np, "bcast_8B", MPI_Bcast(a, 8, MPI_BYTE, 0, MPI_COMM_WORLD));
	BOTH(16000. / np, "bcast_64K", MPI_Bcast(a, 65536, MPI_BYTE, 0, MPI_COMM_WORLD));
	BOTH(80000. / np, "allreduce_8B", MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
	BOTH(8000. / np, "allreduce_64K", MPI_Allreduce(a, b, 8192, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
	BOTH(128000. / np / np, "alltoall_8B", MPI_Alltoall(s, 8, MPI_BYTE, r, 8, MPI_BYTE, MPI_COMM_WORLD));
	BOTH(64000. / np / np, "alltoall_4K", MPI_Alltoall(s, 4096, MPI_BYTE, r, 4096, MPI_BYTE, MPI_COMM_WORLD));
	MPI_Finalize();
	return 0;
}
