#include "sim/access.h"

#include <string.h>

#include "model/cluster_memory.h"
#include "model/time/time.h"
#include "model/time/time_constants.h"
#include "sim/block.h"
#include "sim/lane.h"
#include "sim/report.h"
#include "sim/requests.h"
#include "sim/sim_device.h"
#include "sim/traffic.h"

static const uint64_t APART_MOST = UINT64_C(1) << 40; // so that a run's bytes do not overflow

static inline uint64_t bit(uint32_t lane) {
    return UINT64_C(1) << lane;
}

// The blocks of a cluster have their shared memory in windows. Moves an address in one of them to the first. Returns
// the window that counts from the running block's own, as the upper bits of an offset.
static inline uint64_t leave_window(const struct sim_launch *launch, uint64_t *address) {
    const uint64_t blocks = launch->cluster_blocks, place = *address - launch->module->shared.begin;
    if (blocks == 1 || place >= blocks << SIM_WINDOW_SHIFT) {
        return 0;
    }
    const uint64_t rank = place >> SIM_WINDOW_SHIFT;
    *address -= rank << SIM_WINDOW_SHIFT;
    return (rank + blocks - sim_turn.rank) % blocks << SIM_WINDOW_SHIFT;
}

// Finds the offset of an access in shared memory, where dynamic memory follows static memory; in that of another block
// of the cluster, above the first window. False if the access is not wholly inside.
static inline bool shared_offset(const struct sim_launch *launch, uint64_t address, uint32_t width, uint64_t *offset) {
    const uint64_t window = leave_window(launch, &address);
    uint64_t place = address - launch->module->shared.begin;
    if (place < launch->shared_offset) {
        *offset = window + place;
        return launch->entry->shared_valid[place] && launch->entry->shared_valid[place + width - 1];
    }
    place = address - launch->module->dynamic.begin;
    *offset = window + launch->shared_offset + place;
    return place < launch->launch->dynamic_shared_bytes && width <= launch->launch->dynamic_shared_bytes - place;
}

static inline bool is_in(const struct sim_buffer *buffer, uint64_t address, uint64_t width) {
    return buffer && address - buffer->address < buffer->bytes && width <= buffer->bytes - (address - buffer->address);
}

// The buffer that the lane accesses, ready to count traffic.
static enum status find_buffer(struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                               struct sim_buffer **buffer) {
    const uint64_t address = warp->request.address[lane];
    const uint32_t width = warp->width[lane];
    struct sim_buffer *data = launch->file_data;
    *buffer = sim_memory_find(launch->memory, address, width);
    if (!*buffer && is_in(data, address, width) && !sim_is_shared(address)) {
        *buffer = data;
    }
    return *buffer ? sim_traffic_begin(*buffer, launch->gpu->sector_bytes, launch->error)
                   : sim_report_stray(launch, warp, lane);
}

// The lanes of a group, by the memory that they access.
struct division {
    uint64_t global, shared;
    uint32_t misses; // of L1, by sectors that a load needs
    bool stored;     // a buffer has been stored to
};

// Lanes without a gap that access places equally far apart, in their order.
struct run {
    uint64_t address, apart, bytes; // bytes: from the first place to the last one's end
    bool gaps;                      // between the places
    struct sim_neighbours lanes;
};

static bool find_run(const struct sim_warp *warp, uint64_t group, struct run *run) {
    struct sim_neighbours lanes;
    if (!sim_find_neighbours(group, &lanes)) {
        return false;
    }
    const uint64_t *address = warp->request.address + lanes.first, base = address[0];
    const uint64_t width = warp->width[lanes.first], apart = lanes.count > 1 ? address[1] - base : 0;
    uint64_t differ = base % width | apart % width, expected = base;
    for (uint32_t i = 0; i < lanes.count; i++, expected += apart) {
        differ |= address[i] ^ expected;
    }
    *run = (struct run){base, apart, (lanes.count - 1) * apart + width, apart > width, lanes};
    return !differ && apart <= APART_MOST && sim_bytes_alike(warp->width, lanes) && sim_bytes_alike(warp->step, lanes);
}

// Turns the addresses of a run in shared memory into offsets. False if it does not lie there.
static bool take_shared_run(const struct sim_launch *launch, const struct run *run, struct sim_warp *warp) {
    const struct sim_range *fixed = &launch->module->shared, *dynamic = &launch->module->dynamic;
    uint64_t address = run->address;
    const uint64_t window = leave_window(launch, &address);
    const uint64_t in_fixed = address - fixed->begin, in_dynamic = address - dynamic->begin;
    uint64_t offset = in_fixed;
    if (in_dynamic < launch->launch->dynamic_shared_bytes &&
        run->bytes <= launch->launch->dynamic_shared_bytes - in_dynamic) {
        offset = launch->shared_offset + in_dynamic;
    } else if (in_fixed >= launch->shared_offset || run->bytes > launch->shared_offset - in_fixed ||
               memchr(launch->entry->shared_valid + in_fixed, 0, run->bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < run->lanes.count; i++) {
        warp->request.address[run->lanes.first + i] += window + offset - run->address;
    }
    return true;
}

// The sector in the L1 of the running block's unit: each block of a cluster has its own. A host's addresses have 47
// bits.
static inline uint64_t near_sector(uint64_t address, uint32_t sector_shift) {
    return (address ^ (uint64_t)sim_turn.rank << 43) >> sector_shift;
}

// What is not aligned may lie in two sectors.
static inline uint32_t near_misses(const struct sim_launch *launch, uint64_t address, uint32_t width,
                                   uint32_t sector_shift) {
    const uint64_t last = address + width - 1;
    uint32_t misses = !sim_near_load(launch->near, near_sector(address, sector_shift));
    if (address >> sector_shift != last >> sector_shift) {
        misses += !sim_near_load(launch->near, near_sector(last, sector_shift));
    }
    return misses;
}

static inline void mark_traffic(struct sim_buffer *buffer, uint64_t address, uint32_t width, enum sim_step step,
                                uint32_t sector_shift) {
    const uint64_t offset = address - buffer->address, last = offset + width - 1;
    if (step != SIM_STORE) {
        sim_bitmap_set(&buffer->read, offset >> sector_shift, 1);
        sim_bitmap_set(&buffer->read, last >> sector_shift, 1);
    }
    if (step != SIM_LOAD) {
        buffer->stored = true;
        if (offset / 64 == last / 64) {
            sim_memory_note_store(buffer, offset, (UINT64_C(1) << width) - 1);
        } else {
            sim_memory_note_stores(buffer, offset, width);
        }
    }
}

// Counts the traffic of a run in global memory whose places have gaps between them.
static void take_strided_run(struct sim_launch *launch, struct sim_buffer *buffer, const struct run *run,
                             uint32_t width, enum sim_step step, struct division *division) {
    const uint32_t shift = (uint32_t)__builtin_ctz(launch->gpu->sector_bytes);
    uint64_t address = run->address;
    for (uint32_t i = 0; i < run->lanes.count; i++, address += run->apart) {
        if (step == SIM_LOAD) {
            division->misses += near_misses(launch, address, width, shift);
        }
        mark_traffic(buffer, address, width, step, shift);
    }
}

// The same without gaps.
static void take_dense_run(struct sim_launch *launch, struct sim_buffer *buffer, const struct run *run,
                           enum sim_step step, struct division *division) {
    const uint32_t shift = (uint32_t)__builtin_ctz(launch->gpu->sector_bytes);
    const uint64_t offset = run->address - buffer->address, last = run->address + run->bytes - 1;
    for (uint64_t sector = run->address >> shift; step == SIM_LOAD && sector <= last >> shift; sector++) {
        division->misses += !sim_near_load(launch->near, near_sector(sector << shift, shift));
    }
    if (step != SIM_STORE) {
        sim_bitmap_set_run(&buffer->read, offset >> shift, (last >> shift) - (run->address >> shift) + 1);
    }
    if (step != SIM_LOAD) {
        buffer->stored = true;
        sim_memory_note_stores(buffer, offset, run->bytes);
    }
}

// Divides a group whose lanes access a run, which most do. False if it has no run, or the run is not in one memory.
static bool divide_run(struct sim_launch *launch, struct sim_warp *warp, uint64_t group, struct division *division) {
    struct sim_buffer *buffer = launch->last_buffer;
    struct run run;
    if (!find_run(warp, group, &run)) {
        return false;
    }
    if (take_shared_run(launch, &run, warp)) {
        division->shared = group;
        return true;
    }
    if (!is_in(buffer, run.address, run.bytes) || (run.gaps && buffer == launch->file_data)) { // which surrounds shared
        buffer = sim_memory_find(launch->memory, run.address, run.bytes);
        if (!buffer || !buffer->read.words) { // divide makes its bitmaps
            return false;
        }
        launch->last_buffer = buffer;
    }
    const enum sim_step step = (enum sim_step)warp->step[run.lanes.first];
    division->stored = buffer->stored || (run.lanes.count > 1 && step != SIM_LOAD);
    if (run.gaps) {
        take_strided_run(launch, buffer, &run, warp->width[run.lanes.first], step, division);
    } else {
        take_dense_run(launch, buffer, &run, step, division);
    }
    division->global = group;
    return true;
}

// AMD's GPUs load and store without any alignment (LLVM, "User Guide for AMDGPU Backend", Target Features:
// unaligned-access-mode), of which clang makes use, but for atomics.
static inline uint32_t alignment_of(uint32_t width, enum sim_step step) {
    return sim_turn.by_wave && step != SIM_ATOMIC ? 1 : width;
}

// Divides the group by memory. Drops lanes that are at another access of the same instruction, as in a copy of a
// struct.
static enum status divide(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group,
                          struct division *division) {
    uint32_t first = (uint32_t)__builtin_ctzll(*group), width = warp->width[first];
    enum sim_step step = warp->step[first];
    uint32_t sector_shift = (uint32_t)__builtin_ctz(launch->gpu->sector_bytes);
    struct sim_buffer *buffer = launch->last_buffer;
    if (divide_run(launch, warp, *group, division)) {
        return STATUS_OK;
    }
    for (uint64_t left = *group; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        uint64_t address = warp->request.address[lane], offset;
        if (warp->width[lane] != width || warp->step[lane] != step) {
            *group &= ~bit(lane);
            continue;
        }
        if (address % alignment_of(width, step)) {
            return sim_report_misaligned(launch, warp, lane);
        }
        if (buffer == launch->file_data || !is_in(buffer, address, width)) { // which surrounds shared memory
            if (shared_offset(launch, address, width, &offset)) {
                warp->request.address[lane] = offset;
                division->shared |= bit(lane);
                continue;
            }
            TRY(find_buffer(launch, warp, lane, &buffer));
        }
        if (step == SIM_LOAD) {
            division->misses += near_misses(launch, address, width, sector_shift);
        }
        division->stored |= buffer->stored;
        mark_traffic(buffer, address, width, step, sector_shift);
        division->global |= bit(lane);
    }
    launch->last_buffer = buffer;
    return STATUS_OK;
}

static inline enum shared_path path_of(const struct sim_launch *launch, const struct sim_warp *warp,
                                       const struct sim_site *site, uint64_t lanes) {
    uint64_t windows = 0;
    for (uint64_t left = launch->cluster_blocks > 1 ? lanes : 0; left; left &= left - 1) {
        windows |= warp->request.address[__builtin_ctzll(left)] >> SIM_WINDOW_SHIFT;
    }
    return windows ? PATH_REMOTE : site->by_cluster ? PATH_CLUSTER : PATH_OWN;
}

// A block's shared memory is another's as soon as it has ended.
static enum status check_ended(const struct sim_launch *launch, const struct sim_warp *warp) {
    for (uint64_t left = launch->ended_blocks ? warp->request.active : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t window = warp->request.address[lane] >> SIM_WINDOW_SHIFT;
        const uint32_t rank = (uint32_t)((sim_turn.rank + window) % launch->cluster_blocks);
        if (launch->ended_blocks >> rank & 1) {
            return sim_report_ended(launch, warp, lane, rank);
        }
    }
    return STATUS_OK;
}

// Whether the load is the first of a loop that a compiler made of an atomic (flow_needs), so that it may see what other
// warps' atomics write.
static bool is_of_update(const struct sim_launch *launch, uintptr_t key) {
    const struct sim_site *site = sim_turn.by_wave ? sim_sites_find(launch->sites, sim_key_pc(key)) : NULL;
    return site && site->needs.updates;
}

static enum status look_for_races(struct sim_launch *launch, const struct sim_warp *warp) {
    const struct request *request = &warp->request;
    const uint32_t first = (uint32_t)__builtin_ctzll(request->active);
    struct sim_touch touch = {.interval = launch->race->interval[sim_turn.rank],
                              .barriers = warp->barriers,
                              .request = launch->steps,
                              .place = (uint32_t)(sim_key_pc(warp->key[first]) - launch->module->text.begin),
                              .warp = (uint16_t)(sim_turn.rank * launch->race->in.warps + warp->index)};
    const bool updates = request->atomic || is_of_update(launch, warp->key[first]);
    const enum sim_touch_kind kind = updates                                ? SIM_TOUCH_ATOMIC
                                     : request->operation == OPERATION_LOAD ? SIM_TOUCH_READ
                                                                            : SIM_TOUCH_WRITE;
    struct sim_touch other;
    if (!sim_race_touch(launch->race, request, sim_turn.rank, kind, &touch, &other)) {
        return STATUS_OK;
    }
    const bool is_within = other.warp == touch.warp && sim_block_threads(launch->launch) > launch->gpu->warp_width;
    if (is_within && *launch->race_within_warp) {
        return STATUS_OK;
    }
    const enum status status = sim_report_race(launch, warp, touch.lane, &other);
    if (is_within && launch->error) {
        memcpy(launch->race_within_warp, launch->error->text, sizeof launch->race_within_warp);
        return STATUS_OK;
    }
    *launch->race_within_warp = '\0';
    return status;
}

// Moves what the lanes access in global memory. A buffer's bytes change places among each other.
static void move_global(const struct sim_launch *launch, struct sim_warp *warp, uint64_t group) {
    for (uint64_t left = group; left; left &= left - 1) {
        uint64_t *address = &warp->request.address[__builtin_ctzll(left)];
        const struct sim_buffer *buffer = sim_memory_find(launch->memory, *address, 1);
        if (buffer) {
            const uint64_t to_device = buffer->device_address - buffer->address;
            *address = sim_remap_global(launch->remap, *address + to_device) - to_device;
        }
    }
}

// Where the simulated GPU has what a lane accesses. The host has it elsewhere in each run.
static uint64_t device_address(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane) {
    const uint64_t address = warp->request.address[lane];
    const uint32_t width = warp->width[lane];
    const struct sim_buffer *buffer = is_in(launch->last_buffer, address, width)
                                          ? launch->last_buffer
                                          : sim_memory_find(launch->memory, address, width);
    buffer = buffer ? buffer : launch->file_data;
    return address - buffer->address + buffer->device_address;
}

static void count_atomics(struct sim_launch *launch, const struct sim_warp *warp, uint64_t lanes) {
    const struct dimensions *at = &sim_turn.block, *grid = &sim_turn.grid_size;
    uint64_t block = ((uint64_t)at->z * grid->y + at->y) * grid->x + at->x;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const struct sim_atomic atomic = {device_address(launch, warp, lane), block, warp->width[lane],
                                          warp->lanes[lane].adds_floats};
        sim_contention_add(launch->contention, &atomic);
    }
}

// Counts the instructions and passes of a GPU's code for an access to shared memory.
static void keep(const struct sim_launch *launch, struct sim_warp *warp, struct sim_site *site, uint32_t passes) {
    const struct gpu *gpu = launch->gpu;
    struct sim_kept kept = {1, passes};
    if (warp->request.operation == OPERATION_STORE) {
        sim_held_forget(&warp->held);
    } else if (!site->pinned) {
        kept = sim_held_load(&warp->held, gpu, &warp->request, passes);
    }
    site->counts.kept_passes += kept.passes;
    site->counts.left_out += 1 - kept.requests;
    warp->path.work.instructions -= 1 - kept.requests;
    if (warp->request.path != PATH_OWN) {
        warp->path.cluster_clocks += cluster_memory_clocks(gpu, &warp->request, launch->cluster_blocks) *
                                     cluster_memory_slowest(&warp->request, launch->cluster_blocks);
    } else {
        warp->path.work.passes += kept.passes;
    }
}

// What a warp that waits for the request waits for, in passes. A request by way of the cluster takes longer; how
// long is known for one that is alone on its way.
static uint32_t awaited_passes(const struct gpu *gpu, const struct request *request, uint32_t passes) {
    if (request->path == PATH_OWN || !passes) {
        return passes;
    }
    const double clocks = cluster_memory_latency(request->path).slowest;
    return request->path == PATH_CLUSTER
               ? passes + (uint32_t)lround(clocks / time_constants.pass_cycles)
               : (uint32_t)lround((clocks + cluster_memory_clocks(gpu, request, 1)) / time_constants.pass_cycles);
}

// The latency of an access in a chain. Its lanes wait for the slowest.
static uint64_t chained_cycles(const struct sim_launch *launch, const struct sim_warp *warp, enum sim_step step,
                               const struct division *division) {
    struct sim_caches *caches = launch->caches;
    uint64_t most = division->shared ? caches->latency->shared : 0;
    for (uint64_t left = division->global; left; left &= left - 1) {
        const uint64_t address = device_address(launch, warp, (uint32_t)__builtin_ctzll(left));
        const uint64_t cycles = step == SIM_LOAD    ? sim_caches_load(caches, address)
                                : step == SIM_STORE ? sim_caches_store(caches, address)
                                                    : sim_caches_atomic(caches, address);
        most = cycles > most ? cycles : most;
    }
    return most;
}

// Looks for races on shared memory, and counts atomics on global memory by their addresses.
static enum status check_request(struct sim_launch *launch, struct sim_warp *warp, const struct division *division) {
    enum status status = STATUS_OK;
    if (division->shared) {
        warp->request.active = division->shared;
        TRY(check_ended(launch, warp));
        status = look_for_races(launch, warp);
    }
    if (status == STATUS_OK && division->global && warp->request.atomic) {
        count_atomics(launch, warp, division->global);
    }
    return status;
}

// The copy that these lanes make; false if they make none. Shared memory begins with a line, so offsets tell its lines.
static bool find_copy(const struct sim_launch *launch, const struct sim_warp *warp, uint64_t lanes, struct copy *copy) {
    const struct sim_copying *copying = &warp->copying;
    const uint32_t width = (uint32_t)warp->width[__builtin_ctzll(lanes)];
    if (lanes & ~copying->lanes) {
        return false;
    }
    *copy = (struct copy){.past_l1 = lanes & copying->past_l1, .width_bytes = width, .active = lanes};
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        copy->from[lane] = copying->from[lane];
        shared_offset(launch, copying->to[lane], width, &copy->to[lane]);
        copy->to[lane] = launch->remap ? sim_remap_shared(launch->remap, copy->to[lane]) : copy->to[lane];
    }
    return true;
}

static void count_global(const struct sim_launch *launch, struct sim_warp *warp, struct sim_site *site,
                         const struct division *division) {
    struct request *request = &warp->request;
    struct copy copy;
    request->active = division->global;
    const bool copies = find_copy(launch, warp, request->active, &copy);
    const struct sim_tally cost = sim_count_request(site, launch->gpu, SIM_GLOBAL, request, copies ? &copy : NULL);
    const uint32_t missed_bytes = division->misses * launch->gpu->sector_bytes;
    warp->path.work.l1_cycles += request->operation == OPERATION_LOAD
                                     ? l1_load_cycles((uint32_t)cost.l1_clocks, missed_bytes)
                                     : (uint32_t)cost.l1_clocks;
    warp->stored |= request->operation == OPERATION_STORE && !request->atomic;
    site->counts.atomics += request->atomic ? (uint64_t)__builtin_popcountll(division->global) : 0;
}

// Returns the passes.
static uint32_t count_shared(const struct sim_launch *launch, struct sim_warp *warp, struct sim_site *site,
                             const struct division *division) {
    struct request *request = &warp->request;
    request->active = division->shared;
    struct copy copy;
    const bool copies = find_copy(launch, warp, request->active, &copy);
    if (launch->recording) {
        sim_recording_add(launch->recording, site->pc, request, copies ? &copy : NULL);
    }
    for (uint64_t left = launch->remap ? request->active : 0; left; left &= left - 1) {
        uint64_t *address = &request->address[__builtin_ctzll(left)];
        *address = sim_remap_shared(launch->remap, *address);
    }
    const struct sim_tally cost = sim_count_request(site, launch->gpu, SIM_SHARED, request, copies ? &copy : NULL);
    warp->copying.lanes &= ~request->active;
    keep(launch, warp, site, (uint32_t)cost.passes);
    return (uint32_t)cost.passes;
}

enum status sim_scalar_load(struct sim_launch *launch, struct sim_warp *warp, uint64_t address, uint32_t bytes) {
    struct sim_buffer *buffer = NULL;
    enum status status = STATUS_OK;
    const uint8_t width = bytes < 4 ? (uint8_t)bytes : 4;
    for (uint32_t done = 0; done < bytes && status == STATUS_OK; done += width) {
        warp->request.address[0] = address + done;
        warp->width[0] = width;
        status = is_in(buffer, address + done, width) ? STATUS_OK : find_buffer(launch, warp, 0, &buffer);
        if (status == STATUS_OK) {
            mark_traffic(buffer, address + done, width, SIM_LOAD, (uint32_t)__builtin_ctz(launch->gpu->sector_bytes));
        }
    }
    if (status == STATUS_OK && launch->caches) { // in a chain the load takes as long as one by vectors
        warp->cycles += sim_caches_load(launch->caches, address - buffer->address + buffer->device_address);
    }
    return status;
}

enum status sim_memory_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group, struct sim_site *site,
                            uint64_t *cycles) {
    struct division division = {0};
    struct request *request = &warp->request;
    if (launch->remap && launch->remap->kind == REMAP_STRUCTS) {
        move_global(launch, warp, *group);
    }
    enum status status = divide(launch, warp, group, &division);
    const uint32_t first = (uint32_t)__builtin_ctzll(*group);
    const enum sim_step step = warp->step[first];
    request->operation = step == SIM_LOAD ? OPERATION_LOAD : OPERATION_STORE;
    request->atomic = step == SIM_ATOMIC;
    request->width_bytes = warp->width[first];
    request->path = path_of(launch, warp, site, division.shared);
    THEN(status, check_request(launch, warp, &division));
    if (status != STATUS_OK) {
        return status;
    }
    if (division.global) {
        count_global(launch, warp, site, &division);
    }
    const uint32_t passes = division.shared ? count_shared(launch, warp, site, &division) : 0;
    if (step == SIM_LOAD || (request->atomic && site->needs.returned)) {
        const struct sim_outstanding loads = {.global = division.global != 0,
                                              .atomic = division.global && request->atomic,
                                              .far = division.misses > 0,
                                              .stored = division.stored,
                                              .other = passes && request->width_bytes != 4,
                                              .shared_passes = awaited_passes(launch->gpu, request, passes)};
        sim_wait_later(warp, site, &loads);
    }
    *cycles = launch->caches ? chained_cycles(launch, warp, step, &division) : passes ? passes : 1;
    return STATUS_OK;
}
