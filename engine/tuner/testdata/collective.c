// Makes the calls that it is told, of so many bytes (of a block where blocks go by
// member), so that what a library does for them can be watched.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Comm_rank(w, &rank);
	MPI_Comm_size(w, &ranks);
	for (int i = 1; i + 1 < argc; i += 2) {
		int n = atoi(argv[i + 1]);
		char *a = calloc((size_t)n * ranks + 1, 1), *b = calloc((size_t)n * ranks + 1, 1);
		const char *c = argv[i];
		if (!strcmp(c, "bcast"))
			MPI_Bcast(a, n, MPI_CHAR, 0, w);
		else if (!strcmp(c, "allreduce"))
			MPI_Allreduce(a, b, n, MPI_CHAR, MPI_SUM, w);
		else if (!strcmp(c, "reduce"))
			MPI_Reduce(a, b, n, MPI_CHAR, MPI_SUM, 0, w);
		else if (!strcmp(c, "allgather"))
			MPI_Allgather(a, n, MPI_CHAR, b, n, MPI_CHAR, w);
		else if (!strcmp(c, "alltoall"))
			MPI_Alltoall(a, n, MPI_CHAR, b, n, MPI_CHAR, w);
		else if (!strcmp(c, "gather"))
			MPI_Gather(a, n, MPI_CHAR, b, n, MPI_CHAR, 0, w);
		else if (!strcmp(c, "scatter"))
			MPI_Scatter(a, n, MPI_CHAR, b, n, MPI_CHAR, 0, w);
		else if (!strcmp(c, "reduce-scatter"))
			MPI_Reduce_scatter_block(a, b, n, MPI_CHAR, MPI_SUM, w);
		else if (!strcmp(c, "scan"))
			MPI_Scan(a, b, n, MPI_CHAR, MPI_SUM, w);
		else if (!strcmp(c, "barrier"))
			MPI_Barrier(w);
		else if (!strcmp(c, "split")) {
			MPI_Comm half;
			MPI_Comm_split(w, rank % 2, rank, &half);
			MPI_Comm_free(&half);
		} else
			MPI_Abort(w, 2);
		free(a);
		free(b);
	}
	MPI_Finalize();
	if (rank == 0)
		puts("done");
	return 0;
}
