// Writes random requests and what the model says of them on the host, for the test that asks the playground the same:
//   playground_requests COUNT TEXT_EVERY >RECORDS
// First the description of the GPUs, then for each request the question, "GPU SPACE OPERATION WIDTH WARP_WIDTH" and a
// line of addresses, the answer and, for one in TEXT_EVERY, the text that lanes prints. A length in 4 bytes stands
// before each.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lanes/playground/playground.h"
#include "util/random.h"

struct generator {
    uint64_t drawn;
};

static uint64_t draw(struct generator *generator) {
    return mix64(++generator->drawn * UINT64_C(0x9e3779b97f4a7c15));
}

static uint32_t below(struct generator *generator, uint32_t bound) {
    return (uint32_t)(draw(generator) % bound);
}

static void draw_pattern(struct generator *generator, struct playground *playground) {
    const uint32_t block_x = 1u << below(generator, 7), block_y = 1 + below(generator, 32);
    const bool swizzled = below(generator, 4) == 0;
    const uint32_t pitch = swizzled ? 1u << below(generator, 10) : 1 + below(generator, 300);
    playground_pattern(playground, 0, below(generator, 70), below(generator, 70), block_x, block_y, pitch,
                       below(generator, 2), swizzled);
}

// Addresses within a window, so that lanes share words, banks, sectors and lines more or less often.
static void draw_addresses(struct generator *generator, struct request *request) {
    const uint64_t window = UINT64_C(16) << below(generator, 14), width = request->width_bytes;
    const uint64_t base = below(generator, 4) ? 0 : draw(generator) >> (8 + below(generator, 48));
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        request->address[lane] = (base + draw(generator) % window) / width * width;
    }
}

// Neighbours read the same, which some parts serve in fewer passes.
static void share_addresses(struct generator *generator, struct request *request) {
    const uint32_t partner = 1u << below(generator, 2);
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        request->address[lane] = request->address[lane & ~partner];
    }
}

static void draw_question(struct generator *generator, struct playground *playground) {
    const uint32_t gpu = below(generator, (uint32_t)gpu_row_count), space = below(generator, 2);
    const enum operation operation = below(generator, 2) ? OPERATION_STORE : OPERATION_LOAD;
    struct request *request = &playground->panels->request;
    playground_ask(playground, 0, gpu, space, operation, 0, 1u << below(generator, 5));
    const uint32_t kind = below(generator, 4);
    const uint32_t warp_width = gpu_rows[gpu].warp_width;
    if (kind < 2) {
        draw_pattern(generator, playground);
    } else {
        draw_addresses(generator, request);
        request->active = warp_width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << warp_width) - 1;
    }
    if (kind == 3) {
        share_addresses(generator, request);
    }
    if (below(generator, 4) == 0) {
        request->active &= draw(generator);
    }
}

static void write_bytes(const void *bytes, size_t length) {
    const uint32_t size = (uint32_t)length;
    fwrite(&size, sizeof size, 1, stdout);
    fwrite(bytes, 1, length, stdout);
}

static void write_question(const struct panel *panel) {
    const struct request *request = &panel->request;
    char text[64 + 24 * WARP_WIDTH_MAX];
    size_t used =
        (size_t)snprintf(text, sizeof text, "%u %d %d %u %u\n", (unsigned)(panel->gpu - gpu_rows),
                         (int)panel->cost.space, (int)request->operation, request->width_bytes, panel->gpu->warp_width);
    for (uint32_t lane = 0; lane < panel->gpu->warp_width; lane++) {
        used += (size_t)(request->active >> lane & 1
                             ? snprintf(text + used, sizeof text - used, "%" PRIu64 " ", request->address[lane])
                             : snprintf(text + used, sizeof text - used, ". "));
    }
    text[used++] = '\n';
    write_bytes(text, used);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("playground_requests: two numbers are needed: give COUNT and TEXT_EVERY\n", stderr);
        return 2;
    }
    const unsigned long count = strtoul(argv[1], NULL, 10), text_every = strtoul(argv[2], NULL, 10);
    struct playground *playground = playground_open();
    if (!playground) {
        return 1;
    }
    const char *description = playground_describe(playground);
    write_bytes(description, strlen(description));
    struct generator generator = {0};
    for (unsigned long i = 0; i < count; i++) {
        draw_question(&generator, playground);
        write_question(playground->panels);
        const char *answer = playground_answer(playground, 0);
        write_bytes(answer, strlen(answer));
        const char *text = text_every && i % text_every == 0 ? playground_text(playground, 1) : "";
        write_bytes(text, strlen(text));
    }
    free(playground);
    return fflush(stdout) == 0 ? 0 : 1;
}
