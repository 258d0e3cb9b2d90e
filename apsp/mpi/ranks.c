#include "apsp/mpi/ranks.h"

#include <sched.h>
#include <stdlib.h>

#include "util/threads.h"

void ranks_begin(int *argc, char ***argv) {
    int threads;
    setenv("OMPI_MCA_io", "^ompio", 0); // Open MPI's own MPI-IO does not report a full disk, but ROMIO does
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); // otherwise it starts a daemon, which needs a network interface
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &threads);
}

void ranks_open(struct ranks *ranks) {
    int sides[2] = {0, 0};
    ranks->world = MPI_COMM_WORLD;
    MPI_Comm_rank(ranks->world, &ranks->rank);
    MPI_Comm_size(ranks->world, &ranks->count);
    MPI_Dims_create(ranks->count, 2, sides); // the larger one first
    ranks->grid_rows = sides[1];
    ranks->grid_columns = sides[0];
    ranks->at_row = ranks->rank / ranks->grid_columns;
    ranks->at_column = ranks->rank % ranks->grid_columns;
    MPI_Comm_split(ranks->world, ranks->at_row, ranks->at_column, &ranks->row);
    MPI_Comm_split(ranks->world, ranks->at_column, ranks->at_row, &ranks->column);
    MPI_Comm_split_type(ranks->world, MPI_COMM_TYPE_SHARED, ranks->rank, MPI_INFO_NULL, &ranks->node);
    MPI_Comm_rank(ranks->node, &ranks->node_rank);
    MPI_Comm_size(ranks->node, &ranks->node_count);
}

void ranks_close(struct ranks *ranks) {
    MPI_Comm_free(&ranks->row);
    MPI_Comm_free(&ranks->column);
    MPI_Comm_free(&ranks->node);
}

enum status ranks_agree(const struct ranks *ranks, enum status status, struct error *error) {
    struct {
        int status, rank;
    } own = {(int)status, ranks->rank}, worst;
    MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MAXLOC, ranks->world); // the first of equal ranks
    if (worst.status != STATUS_OK) {
        MPI_Bcast(error->text, sizeof error->text, MPI_CHAR, worst.rank, ranks->world);
    }
    return (enum status)worst.status;
}

void ranks_divide_processors(const struct ranks *ranks) {
    cpu_set_t own, all;
    int count = 0, sum;
    if (sched_getaffinity(0, sizeof own, &own) == 0) {
        count = CPU_COUNT(&own);
    } else {
        CPU_ZERO(&own);
    }
    MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, ranks->node);
    MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, ranks->node);
    if (count > 0 && !getenv("OMP_NUM_THREADS")) {
        const int sharers = (sum + CPU_COUNT(&all) - 1) / CPU_COUNT(&all); // of a processor
        omp_set_num_threads(count > sharers ? count / sharers : 1);
    }
}
