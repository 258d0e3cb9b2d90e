#include "apsp/mpi/exchange.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/mpi/exchange_group.h"
#include "apsp/mpi/exchange_host.h"

// ---- MPI from memory to memory ----

// On a GPU the call returns when the data have arrived, because MPI knows nothing of streams.
static enum status broadcast(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                             size_t bytes, int from, MPI_Request *request, struct error *error) {
    const bool on_gpu = exchange->stream;
    enum status status = on_gpu ? device_synchronize_in(exchange->device, exchange->stream, error) : STATUS_OK;
    MPI_Ibcast((void *)(uintptr_t)address, (int)(bytes / sizeof(int32_t)), MPI_INT32_T, from,
               exchange_ranks(exchange, direction), request);
    if (on_gpu) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    return status;
}

static void close_exchange(struct exchange *exchange) {
    free(exchange);
}

static const struct exchange_operations by_mpi = {.broadcast = broadcast, .close = close_exchange};

// Open MPI tells by these functions whether it takes a GPU's memory. Other libraries have no such function, and are
// taken not to.
static bool takes_memory_of(const struct device *device) {
    const char *name = device->info.backend == BACKEND_CUDA ? "MPIX_Query_cuda_support" : "MPIX_Query_rocm_support";
    void *symbol = dlsym(RTLD_DEFAULT, name);
    int (*query)(void);
    memcpy(&query, &symbol, sizeof query);
    return symbol && query() == 1;
}

static enum status open_mpi(const struct exchange *common, struct exchange **exchange, struct error *error) {
    const bool on_cpu = device_is_cpu(&common->device->info);
    if (!on_cpu && !takes_memory_of(common->device)) {
        return error_set(error, STATUS_NO_DEVICE,
                         "--exchange mpi: this MPI does not say that it takes a GPU's memory: use one that is built "
                         "for it");
    }
    *exchange = malloc(sizeof **exchange);
    if (!*exchange) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    **exchange = *common;
    (*exchange)->operations = &by_mpi;
    snprintf((*exchange)->text, sizeof(*exchange)->text, "%s", on_cpu ? "MPI" : "MPI, from GPU to GPU");
    return STATUS_OK;
}

// ---- The choice ----

// Collective. A way that only some ranks can take is closed again.
static enum status agree(const struct ranks *ranks, enum status status, struct exchange **exchange,
                         struct error *error) {
    status = ranks_agree(ranks, status, error);
    if (status != STATUS_OK && *exchange) {
        exchange_stop(*exchange);
        (*exchange)->operations->close(*exchange);
        *exchange = NULL;
    }
    return status;
}

// Adds to the way's text why it is not the library's broadcasts.
static void explain(struct exchange *exchange, const struct error *reason) {
    const size_t length = strlen(exchange->text);
    if (*reason->text) {
        snprintf(exchange->text + length, sizeof exchange->text - length, " (%s)", reason->text);
    }
}

enum status exchange_open(const struct ranks *ranks, struct device *device, struct stream *stream, const char *way,
                          size_t panel_bytes, struct exchange **exchange, struct error *error) {
    const struct exchange common = {.ranks = ranks, .device = device, .stream = stream};
    const bool any = strcmp(way, "auto") == 0;
    struct error reason = {0};
    *exchange = NULL;
    if (device_is_cpu(&device->info)) {
        return agree(ranks, open_mpi(&common, exchange, error), exchange, error);
    }
    if (any || strcmp(way, "nccl") == 0) {
        const enum status status = agree(ranks, exchange_group_open(&common, exchange, &reason), exchange, &reason);
        if (status == STATUS_OK || !any) {
            *error = reason;
            return status;
        }
    }
    if (any || strcmp(way, "mpi") == 0) {
        const enum status status = agree(ranks, open_mpi(&common, exchange, error), exchange, error);
        if (status == STATUS_OK) {
            explain(*exchange, &reason);
        }
        if (status == STATUS_OK || !any) {
            return status;
        }
    }
    const enum status status = agree(ranks, exchange_host_open(&common, panel_bytes, exchange, error), exchange, error);
    if (status == STATUS_OK) {
        explain(*exchange, &reason);
    }
    return status;
}
