#include "tools/lanes/layout/tile_access.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/addresses.h"
#include "model/copy_memory.h"
#include "util/whole.h"

enum {
    WIDEST = 16 // bytes of a lane
};

// How lanes follow each other: along the rows of blocks, or down their columns. The blocks follow each other along the
// tile's rows.
struct tile_walk {
    uint32_t rows, columns; // of a block; columns in pieces of a lane's bytes; 0: all of the tile
    bool down;
};

enum tile_parts {
    TILE_FOR_ALL,
    TILE_FOR_NVIDIA,
    TILE_FOR_COPIES,      // of NVIDIA's cp.async
    TILE_FOR_MATRIX_CORES // of AMD's waves of 64 lanes
};

struct tile_access {
    const char *text;    // as typed
    enum tile_copy copy; // from a matrix whose rows begin with lines; counts as a store
    enum operation operation;
    uint32_t bytes;        // of a lane
    enum tile_parts parts; // which have the instruction
    char *addresses;       // the file of them, owned; NULL: the walk
    struct tile_walk walk;
};

// The walks that have names. Matrix instructions want the operand whose k runs along the tile's rows: of mma, 8 rows by
// 4 lanes; of MFMA, 16 or 32 rows by as many lanes as are left; ldmatrix takes 8 rows of 16 bytes for each matrix.
static const struct named_walk {
    const char *name;
    struct tile_walk walk;
    enum tile_parts parts;
    uint32_t bytes, at_least; // of a lane: fixed, or at least so many; 0: those of an element
    bool loads, stores;
} named_walks[] = {
    {"row", {1, 0, false}, TILE_FOR_ALL, 0, 0, true, true},
    {"column", {0, 1, true}, TILE_FOR_ALL, 0, 0, true, true},
    {"ldmatrix", {16, 2, true}, TILE_FOR_NVIDIA, 16, 0, true, false},
    {"stmatrix", {16, 2, true}, TILE_FOR_NVIDIA, 16, 0, false, true},
    {"mma", {8, 4, false}, TILE_FOR_NVIDIA, 0, 4, true, false},
    {"mfma16", {16, 4, true}, TILE_FOR_MATRIX_CORES, 0, 4, true, false},
    {"mfma32", {32, 2, true}, TILE_FOR_MATRIX_CORES, 0, 4, true, false},
};

static enum status refuse(const char *text, const char *why, struct error *error) {
    return error_set(error, STATUS_USAGE, "--access %.100s: %s", text, why);
}

// A number at *text, which moves past it; 0 if there is none below 65536.
static uint32_t take_number(const char **text) {
    uint32_t value = 0;
    while (isdigit((unsigned char)**text) && value < 65536) {
        value = 10 * value + (uint32_t)(*(*text)++ - '0');
    }
    return value < 65536 ? value : 0;
}

// "8x4" or "8x4-down"
static bool parse_block(const char *text, size_t length, struct tile_walk *walk) {
    static const char DOWN[] = "-down";
    const char *at = text;
    walk->rows = take_number(&at);
    if (!walk->rows || *at++ != 'x') {
        return false;
    }
    walk->columns = take_number(&at);
    const size_t rest = length - (size_t)(at - text);
    walk->down = rest == sizeof DOWN - 1 && memcmp(at, DOWN, rest) == 0;
    return walk->columns && (walk->down || rest == 0);
}

static const struct named_walk *find_named(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof named_walks / sizeof *named_walks; i++) {
        if (strlen(named_walks[i].name) == length && memcmp(named_walks[i].name, text, length) == 0) {
            return &named_walks[i];
        }
    }
    return NULL;
}

// MFMA takes 8 bytes of narrow elements, and one element of others; everything else takes one, or what is typed.
static uint32_t usual_bytes(const struct named_walk *named, uint32_t element_bytes) {
    if (named && named->bytes) {
        return named->bytes;
    }
    const bool narrow = element_bytes < 4;
    if (named && named->parts == TILE_FOR_MATRIX_CORES && narrow) {
        return 8;
    }
    return named && element_bytes < named->at_least ? named->at_least : element_bytes;
}

static bool fits(const struct tile_walk *walk, const struct tile *tile, uint32_t bytes) {
    return walk->rows <= tile->rows && walk->columns <= tile->columns * tile->element_bytes / bytes;
}

static enum status check_bytes(const struct tile_access *access, const struct tile *tile, struct error *error) {
    const uint32_t bytes = access->bytes;
    if (access->copy && bytes != 4 && bytes != 8 && bytes != WIDEST) {
        return refuse(access->text, "cp.async copies 4, 8 or 16 bytes of a lane: give one of them", error);
    }
    if (!bytes || bytes > WIDEST || (bytes & (bytes - 1) && bytes != 12)) {
        return refuse(access->text, "no lane accesses so many bytes: give 1, 2, 4, 8, 12 or 16", error);
    }
    if (bytes % tile->element_bytes) {
        return refuse(access->text, "a lane takes parts of elements: give a multiple of --width", error);
    }
    if (access->addresses) {
        return STATUS_OK;
    }
    if (tile->columns % (bytes / tile->element_bytes)) {
        return refuse(access->text, "a row is no multiple of a lane's bytes: give fewer, or a wider tile", error);
    }
    return fits(&access->walk, tile, bytes)
               ? STATUS_OK
               : refuse(access->text, "a block of lanes is larger than the tile: give a larger tile", error);
}

// The end of the access's shape: before ":BYTES", which a file's name may not look like.
static const char *end_of_shape(const char *shape) {
    const char *colon = strrchr(shape, ':');
    return colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) ? colon : shape + strlen(shape);
}

static enum status parse_operation(struct tile_access *access, const char **shape, struct error *error) {
    static const struct {
        const char *name;
        enum operation operation;
        enum tile_copy copy;
        enum tile_parts parts;
    } operations[] = {{"load:", OPERATION_LOAD, COPY_NONE, TILE_FOR_ALL},
                      {"store:", OPERATION_STORE, COPY_NONE, TILE_FOR_ALL},
                      {"copy:", OPERATION_STORE, COPY_PAST_L1, TILE_FOR_COPIES}};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const size_t length = strlen(operations[i].name);
        if (strncmp(access->text, operations[i].name, length) == 0) {
            access->operation = operations[i].operation;
            access->copy = operations[i].copy;
            access->parts = operations[i].parts;
            *shape = access->text + length;
            return STATUS_OK;
        }
    }
    return refuse(access->text, "neither load:... nor store:... nor copy:...: begin with one of them", error);
}

static enum status parse(struct tile_access *access, const char *text, const struct tile *tile, struct error *error) {
    const char *shape = text;
    *access = (struct tile_access){.text = text};
    TRY(parse_operation(access, &shape, error));
    const char *end = end_of_shape(shape);
    const size_t length = (size_t)(end - shape);
    const struct named_walk *named = find_named(shape, length);
    access->bytes = access->copy ? WIDEST : usual_bytes(named, tile->element_bytes);
    if (*end) {
        const char *digits = end + 1;
        access->bytes = take_number(&digits);
    }
    if (named) {
        access->walk = named->walk;
        access->parts = access->copy ? access->parts : named->parts;
        const bool possible = access->operation == OPERATION_LOAD ? named->loads : named->stores;
        if (!possible || (access->copy && named->parts != TILE_FOR_ALL)) {
            return refuse(text, "there is no such instruction: ldmatrix, mma and mfma load, stmatrix stores", error);
        }
        if (named->bytes && access->bytes != named->bytes) {
            return refuse(text, "each lane names a row of 16 bytes: leave out the bytes", error);
        }
    } else if (*shape == '@' && length > 1) {
        if (length == 2 && shape[1] == '-') {
            return refuse(text, "the file is read for each GPU: give it a name", error);
        }
        access->addresses = memory_text(shape + 1, length - 1);
    } else if (!parse_block(shape, length, &access->walk)) {
        return refuse(text,
                      "unknown pattern: give row, column, RxC, RxC-down, ldmatrix, stmatrix, mma, mfma16, mfma32 "
                      "or @FILE",
                      error);
    }
    access->copy = access->copy && access->bytes < WIDEST ? COPY_THROUGH_L1 : access->copy;
    return check_bytes(access, tile, error);
}

// Whether the part has the instruction that makes the access.
static bool exists(const struct tile_access *access, const struct gpu *gpu) {
    return access->parts == TILE_FOR_ALL || (access->parts == TILE_FOR_COPIES && copy_exists(gpu)) ||
           (access->parts == TILE_FOR_NVIDIA && gpu->vendor == VENDOR_NVIDIA) ||
           (access->parts == TILE_FOR_MATRIX_CORES && gpu->vendor == VENDOR_AMD && gpu->warp_width == 64);
}

void tile_requests_add(struct tile_requests *requests, const struct tile_request *request) {
    requests->list = memory_room(requests->list, requests->count, sizeof *requests->list);
    requests->list[requests->count++] = *request;
}

// Rows in global memory begin with lines, as those of a matrix of a round size do.
static uint64_t place_in_global(const struct tile *tile, uint32_t index) {
    const uint64_t pitch = round_up(tile->columns * tile->element_bytes, COPY_LINE_BYTES);
    return index / tile->columns * pitch + index % tile->columns * tile->element_bytes;
}

static void set_lane(struct tile_request *request, const struct tile_access *access, const struct tile *tile,
                     uint32_t lane, uint32_t index) {
    request->active |= UINT64_C(1) << lane;
    request->index[lane] = index;
    request->from[lane] = access->copy ? place_in_global(tile, index) : 0;
}

// Adds the requests of a walk: lanes take its pieces one after the other; those outside of the tile are left out.
static void walk_requests(const struct tile_access *access, const struct tile *tile, uint32_t warp_width,
                          struct tile_requests *requests) {
    const uint32_t elements = access->bytes / tile->element_bytes, pieces = tile->columns / elements;
    const uint32_t rows = access->walk.rows ? access->walk.rows : tile->rows;
    const uint32_t columns = access->walk.columns ? access->walk.columns : pieces;
    const uint32_t across = (uint32_t)divide_up(pieces, columns), lanes = rows * columns;
    const uint32_t all = (uint32_t)divide_up(tile->rows, rows) * across * lanes;
    for (uint32_t first = 0; first < all; first += warp_width) {
        struct tile_request request = {.count = 1};
        for (uint32_t lane = 0; lane < warp_width && first + lane < all; lane++) {
            const uint32_t block = (first + lane) / lanes, in_block = (first + lane) % lanes;
            const uint32_t row_in = access->walk.down ? in_block % rows : in_block / columns;
            const uint32_t column_in = access->walk.down ? in_block / rows : in_block % columns;
            const uint32_t row = block / across * rows + row_in, column = block % across * columns + column_in;
            if (row < tile->rows && column < pieces) {
                set_lane(&request, access, tile, lane, row * tile->columns + column * elements);
            }
        }
        if (request.active) {
            tile_requests_add(requests, &request);
        }
    }
}

// Turns the byte addresses of some lanes, within the tile as it is, into elements.
static enum status take_lanes(const struct tile_access *access, const struct tile *tile, const struct request *found,
                              uint32_t first, uint32_t lanes, struct tile_request *request, struct error *error) {
    const uint64_t bytes = tile_bytes(tile);
    *request = (struct tile_request){.count = 1};
    for (uint32_t lane = 0; lane < lanes && first + lane < WARP_WIDTH_MAX; lane++) {
        const uint64_t address = found->address[first + lane];
        if (!(found->active >> (first + lane) & 1)) {
            continue;
        }
        if (address >= bytes || access->bytes > bytes - address || address % tile->element_bytes) {
            return error_set(error, STATUS_USAGE,
                             "--access %.100s: byte %llu begins no such access in a tile of %llu bytes: count bytes "
                             "from the tile's first",
                             access->text, (unsigned long long)address, (unsigned long long)bytes);
        }
        set_lane(request, access, tile, lane, (uint32_t)(address / tile->element_bytes));
    }
    return STATUS_OK;
}

// A line of the file has up to 64 lanes, of which a narrower warp makes two requests.
static enum status file_requests(const struct tile_access *access, const struct tile *tile, uint32_t warp_width,
                                 struct tile_requests *requests, struct error *error) {
    struct address_reader *reader = NULL;
    bool end = false;
    enum status status = address_reader_open(access->addresses, &reader, error);
    while (status == STATUS_OK && !end) {
        struct request found = {.width_bytes = access->bytes};
        status = address_reader_next(reader, WARP_WIDTH_MAX, &found, &end, error);
        for (uint32_t first = 0; first < WARP_WIDTH_MAX && status == STATUS_OK && !end; first += warp_width) {
            struct tile_request request;
            status = take_lanes(access, tile, &found, first, warp_width, &request, error);
            if (status == STATUS_OK && request.active) {
                tile_requests_add(requests, &request);
            }
        }
    }
    address_reader_close(reader);
    return status;
}

enum status tile_access_cases(struct layout_case *cases, const char *text, const struct tile *tile,
                              const struct gpu *const *gpus, size_t gpu_count, struct error *error) {
    struct tile_access access;
    enum status status = parse(&access, text, tile, error);
    for (size_t i = 0; i < gpu_count && status == STATUS_OK; i++) {
        const uint32_t warp_width = gpus[i]->warp_width;
        cases[i] = (struct layout_case){
            .name = text, .operation = access.operation, .copy = access.copy, .bytes = access.bytes, .gpu = gpus[i]};
        if (exists(&access, gpus[i]) && access.addresses) {
            status = file_requests(&access, tile, warp_width, &cases[i].requests, error);
        } else if (exists(&access, gpus[i])) {
            walk_requests(&access, tile, warp_width, &cases[i].requests);
        }
    }
    free(access.addresses);
    return status;
}
