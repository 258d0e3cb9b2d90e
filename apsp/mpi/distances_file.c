#include "apsp/mpi/distances_file.h"

#include "apsp/mpi/shared_file.h"

// The layout of a rank's columns in a row of the file: blocks with gaps between them.
static MPI_Datatype columns_in_file(const struct ranks *ranks, const struct share *share) {
    const int sizes[2] = {(int)share->rows.block, (int)share->columns.vertices};
    const int dealt[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    const int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, (int)share->columns.block};
    const int parts[2] = {1, ranks->grid_columns};
    MPI_Datatype type;
    MPI_Type_create_darray(ranks->grid_columns, ranks->at_column, 2, sizes, dealt, blocks, parts, MPI_ORDER_C,
                           MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    return type;
}

// How many of the rank's columns or rows are vertices and not padding.
static uint32_t vertices_of(const struct cyclic *cyclic) {
    const uint32_t blocks = cyclic_blocks_of(cyclic, cyclic->part);
    const uint32_t end = blocks ? cyclic_vertex_at(cyclic, cyclic->part, (blocks - 1) * cyclic->block) : 0;
    const uint32_t left = cyclic->vertices - end;
    return blocks ? (blocks - 1) * cyclic->block + (left < cyclic->block ? left : cyclic->block) : 0;
}

// Writes one block row of each grid row. All ranks write at once; a rank that has no more rows writes nothing.
static enum status write_block_row(const struct ranks *ranks, const struct share *share, struct shared_file *file,
                                   uint32_t index, MPI_Datatype columns, struct error *error) {
    const uint32_t first = index * share->rows.block, rows = vertices_of(&share->rows);
    const uint32_t left = rows > first ? rows - first : 0, count = left < share->rows.block ? left : share->rows.block;
    const uint32_t width = vertices_of(&share->columns);
    const MPI_Offset vertex = count ? cyclic_vertex_at(&share->rows, share->rows.part, first) : 0;
    const MPI_Offset offset = vertex * (MPI_Offset)share->columns.vertices * (MPI_Offset)sizeof *share->w;
    const int code = MPI_File_set_view(file->file, offset, MPI_INT32_T, columns, "native", MPI_INFO_NULL);
    enum status status = ranks_agree(ranks, shared_file_check(file->path, "written", code, error), error);
    if (status != STATUS_OK) {
        return status;
    }
    const int32_t *from = share->w + first * share->pitch;
    if (count && width) {
        MPI_Datatype in_memory;
        MPI_Type_vector((int)count, (int)width, (int)share->pitch, MPI_INT32_T, &in_memory);
        MPI_Type_commit(&in_memory);
        status = shared_file_write(file, 0, from, 1, in_memory, error);
        MPI_Type_free(&in_memory);
    } else { // some MPIs cannot handle an empty type
        status = shared_file_write(file, 0, from, 0, MPI_INT32_T, error);
    }
    return ranks_agree(ranks, status, error);
}

enum status distances_write(const struct ranks *ranks, const struct share *share, const char *path,
                            struct error *error) {
    struct shared_file file;
    enum status status = shared_file_create(&file, ranks, path, error);
    if (status != STATUS_OK) {
        return status;
    }
    MPI_Datatype columns = columns_in_file(ranks, share);
    for (uint32_t i = 0; i < cyclic_blocks_of(&share->rows, 0) && status == STATUS_OK; i++) {
        status = write_block_row(ranks, share, &file, i, columns, error);
    }
    MPI_Type_free(&columns);
    return shared_file_finish(&file, ranks, status, error);
}
