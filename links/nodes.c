// Bandwidth between the nodes of a CPU's memory: what the threads of one node read from another or write to it.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/row.h"
#include "device/cpu/cpu.h"
#include "device/cpu/slice.h"
#include "device/cpu/stream_vector.h"
#include "links/row.h"
#include "util/random.h"
#include "util/threads.h"

enum {
    LINKS_PAGE_BYTES = 4096, // the memory has whole pages, which the threads share
    WORD_BYTES = 16,
    CHECKED_BYTES = 1 << 20 // at once
};

static const char *const operations[] = {
    [NODES_READ] = "read",
    [NODES_WRITE] = "write",
    [NODES_WRITE_PAST_CACHES] = "write-streaming",
};

struct node_job {
    struct run *run;
    enum links_access access;
    uint64_t memory, bytes;
    uint32_t sum; // of the 32-bit words that were read
};

enum status links_check_nodes(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t bytes = point->values[LINKS_FOOTPRINT], most = device_free_bytes(run_info(run)) / 2;
    return bytes % LINKS_PAGE_BYTES == 0 && bytes <= most
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "--footprint %" PRIu64 ": give a multiple of %d bytes up to %" PRIu64 ", or 0", bytes,
                           LINKS_PAGE_BYTES, most);
}

// ---- One pair of nodes ----

static uint64_t first_value(const struct node_job *job) {
    return mix64(job->run->settings->seed);
}

static enum status poison(void *context, struct error *error) {
    struct node_job *job = context;
    job->sum = DEVICE_POISON;
    return job->access == NODES_READ ? STATUS_OK : device_poison(run_device(job->run), job->memory, job->bytes, error);
}

// On the CPU the loops are called directly, because a kernel launched there would only wrap this call.
static enum status enqueue(void *context, struct error *error) {
    struct node_job *job = context;
    const struct stream_loops *loops = cpu_stream_loops();
    uint32_t sum = 0;
    (void)error;
#pragma omp parallel reduction(+ : sum)
    {
        const struct slice pages =
            cpu_slice(job->bytes / LINKS_PAGE_BYTES, (uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads());
        const uint64_t at = pages.first * LINKS_PAGE_BYTES, bytes = pages.count * LINKS_PAGE_BYTES;
        uint8_t *memory = (uint8_t *)(uintptr_t)(job->memory + at);
        if (job->access == NODES_READ) {
            sum += loops->read(memory, bytes);
        } else {
            (job->access == NODES_WRITE ? loops->write : loops->write_past_caches)(memory, bytes,
                                                                                   first_value(job) + at / WORD_BYTES);
        }
    }
    job->sum = sum;
    return STATUS_OK;
}

// The sum of the 32-bit words of random memory.
static uint32_t expected_sum(const struct node_job *job) {
    const uint64_t seed = job->run->settings->seed, words = job->bytes / sizeof(uint64_t);
    uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (uint64_t i = 0; i < words; i++) {
        const uint64_t word = mix64(seed + i);
        sum += (uint32_t)word + (uint32_t)(word >> 32);
    }
    return sum;
}

static enum status check_written(const struct node_job *job, bool *right, struct error *error) {
    uint64_t value = first_value(job);
    uint64_t(*words)[2] = memory_zeros(1, CHECKED_BYTES);
    enum status status = STATUS_OK;
    for (uint64_t done = 0; done < job->bytes && *right && status == STATUS_OK; done += CHECKED_BYTES) {
        const uint64_t left = job->bytes - done, bytes = left < CHECKED_BYTES ? left : CHECKED_BYTES;
        status = device_copy_to_host(run_device(job->run), words, job->memory + done, bytes, error);
        for (uint64_t i = 0; i < bytes / sizeof *words && status == STATUS_OK; i++, value++) {
            *right &= words[i][0] == value && words[i][1] == ~value;
        }
    }
    free(words);
    return status;
}

static enum status check(void *context, bool *right, struct error *error) {
    const struct node_job *job = context;
    *right = job->access != NODES_READ || job->sum == expected_sum(job);
    return job->access == NODES_READ ? STATUS_OK : check_written(job, right, error);
}

static enum status open_job(struct node_job *job, struct error *error) {
    TRY(device_allocate(run_device(job->run), job->bytes, &job->memory, error));
    return bench_device_fill_random(job->run->bench_device, job->memory, job->bytes, job->run->settings->seed, error);
}

// Data flow from the memory's node if they are read, to it if they are written.
static enum status emit(struct node_job *job, const struct cpu_node *threads, const struct cpu_node *memory,
                        const struct measurement *measurement, struct error *error) {
    const bool read = job->access == NODES_READ;
    struct row row = run_row(job->run);
    struct measurement judged = *measurement;
    snprintf(row.op, sizeof row.op, "%s", operations[job->access]);
    snprintf(row.from, sizeof row.from, "node %" PRIu32, read ? memory->number : threads->number);
    snprintf(row.to, sizeof row.to, "node %" PRIu32, read ? threads->number : memory->number);
    snprintf(row.direction, sizeof row.direction, "one-way");
    row.footprint_bytes = job->bytes;
    row.useful_bytes = (double)job->bytes;
    row.one_way_gb_s = row.useful_bytes / measurement->time_ns.median;
    judged.verdicts |= cpu_placement_is_real(run_device(job->run)) ? 0u : VERDICT_UNVERIFIED;
    links_finish_row(&row, &judged);
    return run_emit(job->run, &row, error);
}

static enum status measure_pair(struct run *run, uint64_t bytes, const struct cpu_node *threads,
                                const struct cpu_node *memory, struct error *error) {
    struct node_job job = {.run = run,
                           .access = links_detail_of(run)->access,
                           .bytes = bytes ? bytes : cpu_node_footprint(run_info(run), memory)};
    const struct trial trial = {&job, poison, enqueue, check};
    struct measurement measurement;
    enum status status = cpu_place(run_device(run), threads, memory, CPU_PAGES_LARGE, error);
    THEN(status, open_job(&job, error));
    THEN(status, run_trial(run, &trial, &measurement, error));
    THEN(status, emit(&job, threads, memory, &measurement, error));
    device_release(run_device(run), job.memory);
    cpu_unplace(run_device(run));
    return status;
}

enum status links_measure_nodes(struct run *run, const struct point *point, struct error *error) {
    const struct cpu_node *nodes;
    size_t count;
    TRY(cpu_nodes(run_device(run), &nodes, &count, error));
    for (size_t i = 0; i < count * count; i++) {
        const struct cpu_node *threads = &nodes[i / count], *memory = &nodes[i % count];
        if (threads->threads > 0 && memory->memory_bytes > 0) {
            TRY(measure_pair(run, point->values[LINKS_FOOTPRINT], threads, memory, error));
        }
    }
    return STATUS_OK;
}
