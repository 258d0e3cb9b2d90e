// The table of GPUs, and the names by which drivers know them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/evidence.h"
#include "model/gpu_find.h"
#include "model/gpu_part.h"
#include "model/gpus.h"
#include "model/time/latency.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void table_of_gpus(void **state) {
    (void)state;
    for (size_t i = 0; i < gpu_row_count; i++) {
        const struct gpu *gpu = &gpu_rows[i];
        assert_ptr_equal(gpu_find(gpu->name), gpu);
        assert_true(gpu->warp_width == 32 || gpu->warp_width == 64);
        assert_true(gpu->line_bytes % gpu->sector_bytes == 0);
        assert_true(gpu->compute_units && gpu->clock_mhz && gpu->l2_bytes && gpu->memory_bytes);
        assert_true(gpu->memory_gb_s > 0 && gpu->min_plus_per_clock > 0 && strlen(gpu->source) > 40);
        assert_true(gpu->last_level_cache_bytes >= gpu->l2_bytes);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(gpu->name, gpu_rows[j].name);
        }
    }
    assert_ptr_equal(gpu_find("RTX4090"), gpu_find("rtx4090"));
    assert_null(gpu_find("h201"));
    assert_null(gpu_find(""));
}

static void drivers_names(void **state) {
    (void)state;
    static const struct {
        const char *device, *arch;
        uint32_t compute_units; // 0: unknown
        const char *gpu;        // NULL: none
    } rows[] = {
        {"NVIDIA H200", "sm_90", 132, "h200"},
        {"NVIDIA H200 NVL", "sm_90", 132, NULL}, // another clock
        {"NVIDIA H100 80GB HBM3", "sm_90", 132, "h100"},
        {"NVIDIA H100 PCIe", "sm_90", 114, NULL}, // another number of SMs, another memory
        {"NVIDIA H100 NVL", "sm_90", 132, NULL},
        {"NVIDIA GH200 480GB", "sm_90", 132, "gh200"},
        {"NVIDIA GH200 144G HBM3e", "sm_90", 132, NULL},
        {"NVIDIA B200", "sm_100", 148, "b200"},
        {"NVIDIA A100-SXM4-80GB", "sm_80", 108, "a100"},
        {"NVIDIA A100-SXM-80GB", "sm_80", 108, "a100"},
        {"NVIDIA A100-SXM4-40GB", "sm_80", 108, NULL},
        {"NVIDIA A100 80GB PCIe", "sm_80", 108, NULL},
        {"NVIDIA L40S", "sm_89", 142, "l40s"},
        {"NVIDIA L40", "sm_89", 142, "l40"},
        {"NVIDIA L4", "sm_89", 58, "l4"},
        {"NVIDIA GeForce RTX 4070", "sm_89", 46, "rtx4070"},
        {"NVIDIA GeForce RTX 4070 Ti", "sm_89", 60, NULL},
        {"NVIDIA GeForce RTX 3090", "sm_86", 82, "rtx3090"},
        {"NVIDIA B300 SXM6 AC", "sm_103", 148, "b300"},
        {"Orin", "sm_87", 16, "orin"},
        {"Orin", "sm_87", 14, NULL}, // of 32 GB
        {"AMD Instinct MI325X", "gfx942:sramecc+:xnack-", 304, "mi325x"},
        {"AMD Radeon RX 7800 XT", "gfx1101", 30, "rx7800xt"},
        {"AMD Radeon 8060S Graphics", "gfx1151", 20, "strixhalo"},
        {"NVIDIA GeForce RTX 4090", "sm_89", 128, "rtx4090"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "sm_89", 76, NULL},
        {"NVIDIA GeForce RTX 5090", "sm_120", 170, "rtx5090"},
        {"NVIDIA GeForce RTX 5090 D", "sm_120", 170, NULL},
        {"NVIDIA GeForce RTX 3080", "sm_86", 68, "rtx3080"},
        {"NVIDIA GeForce RTX 3080", "sm_86", 70, NULL}, // the board of 12 GB has the same name
        {"Tesla T4", "sm_75", 40, "t4"},
        {"GeForce GTX 1080", NULL, 0, "gtx1080"},
        {"NVIDIA GeForce GTX 1080", "sm_61", 20, "gtx1080"},
        {"NVIDIA GeForce GTX 1080 Ti", "sm_61", 28, NULL},
        {"Tesla V100-SXM2-16GB", "sm_70", 80, "v100"},
        {"Tesla V100-SXM2-32GB", "sm_70", 80, NULL},
        {"Tesla V100-PCIE-16GB", "sm_70", 80, NULL},
        {"Tesla K40m", "sm_35", 15, "k40"},
        {"AMD Instinct MI50/MI60", "gfx906:sramecc+:xnack-", 60, "mi50"},
        {"AMD Instinct MI60 / MI50", "gfx906:sramecc+:xnack-", 60, "mi50"},
        {"AMD Instinct MI60 / MI50", "gfx906:sramecc+:xnack-", 64, NULL}, // an MI60
        {"AMD Instinct MI100", "gfx908:sramecc+:xnack-", 120, "mi100"},
        {"Arcturus GL-XL [Instinct MI100]", "gfx908", 120, "mi100"},
        {"AMD Instinct MI210", "gfx90a:sramecc+:xnack-", 104, "mi210"},
        {"AMD Instinct MI250X", "gfx90a:sramecc+", 110, "mi250x"},
        {"AMD Instinct MI250X / MI250", "gfx90a:sramecc+:xnack-", 110, "mi250x"},
        {"AMD Instinct MI250X/MI250", "gfx90a:sramecc+:xnack-", 104, "mi250"},
        {"AMD Instinct MI210", "gfx942", 0, NULL},
        {"AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 304, "mi300x"},
        {"AMD Instinct MI300X VF", "gfx942:sramecc+:xnack-", 304, "mi300x"},
        {"AMD Instinct MI300X OAM", "gfx942:sramecc+:xnack-", 304, "mi300x"},
        {"AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 38, NULL}, // one XCD, as a partition
        {"AMD Instinct MI300A", "gfx942:sramecc+:xnack-", 228, "mi300a"},
        {"NVIDIA A40", "sm_86", 84, "a40"},
        {"AMD Radeon RX 6900 XT", "gfx1030", 40, "rx6900xt"},
        {"AMD Instinct MI355X", "gfx950:sramecc+:xnack-", 256, "mi355x"},
        {"AMD Instinct MI355X VF", "gfx950:sramecc+:xnack-", 256, "mi355x"},
        {"AMD Instinct MI350X", "gfx950:sramecc+:xnack-", 256, NULL},
        {"Radeon RX 7900 XTX", "gfx1100", 96, "rx7900xtx"},
        {"AMD Radeon RX 7900 XTX", "gfx1100", 48, "rx7900xtx"}, // HIP counts units in pairs
        {"AMD Radeon RX 7900 XT", "gfx1100", 42, NULL},
        {"AMD Radeon RX 9070 XT", "gfx1201", 32, "rx9070xt"},
        {"AMD Radeon RX 9070", "gfx1201", 28, NULL},
        {"AMD Radeon Graphics", "gfx90a", 0, NULL},
        {"", "sm_90", 0, NULL},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct gpu *gpu = gpu_match(rows[i].device, rows[i].arch, rows[i].compute_units);
        assert_string_equal(gpu ? gpu->name : "none", rows[i].gpu ? rows[i].gpu : "none");
    }
}

// LLVM's occupancy for so many vector registers, on all SIMDs of a unit.
static void warps_by_registers(void **state) {
    static const struct {
        const char *gpu;
        double registers, warps;
    } rows[] = {{"mi100", 64, 16},    {"mi210", 128, 16},    {"mi210", 129, 12},    {"mi300x", 512, 4},
                {"rx6900xt", 32, 32}, {"rx7900xtx", 96, 32}, {"rx7900xtx", 97, 24}, {"rx9070xt", 240, 12}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal((int)gpu_unit_warps(gpu_find(rows[i].gpu), rows[i].registers), (int)rows[i].warps);
    }
}

// Each figure of each row has its statement.
static void origins(void **state) {
    (void)state;
    static const char *const figures[] = {"SMs|CUs",
                                          "clock|boost clock",
                                          "lanes",
                                          "minima a clock|updates a clock",
                                          "shared memory|shared memory of a block|LDS",
                                          "L1|L1 with shared memory|vector cache",
                                          "L2",
                                          "L2 rate",
                                          "sectors|line|lines",
                                          "memory|memory size",
                                          "memory rate|memory"};
    for (size_t i = 0; i < gpu_row_count; i++) {
        for (size_t k = 0; k < LENGTH(figures); k++) {
            char text[1024];
            gpu_origin(&gpu_rows[i], figures[k], text, sizeof text);
            if (strlen(text) < 8) {
                fail_msg("%s: no source of %s", gpu_rows[i].name, figures[k]);
            }
        }
    }
}

static void evidence_of_origins(void **state) {
    (void)state;
    static const struct {
        const char *source, *figure, *text;
        enum evidence known;
    } rows[] = {
        {"guide: lanes, banks; sheet: memory", "lanes", "guide: lanes, banks", EVIDENCE_PUBLISHED},
        {"guide: lanes, banks; sheet: memory rate", "memory", "", EVIDENCE_GUESS},
        {"L2 rate: another's (page 3; unsure) [derived]; sheet: L2", "L2 rate",
         "L2 rate: another's (page 3; unsure) [derived]", EVIDENCE_DERIVED},
        {"guide: minima; minima: four schedulers [guess]", "minima", "guide: minima; minima: four schedulers [guess]",
         EVIDENCE_GUESS},
        {"bytes: read off counters [measured]; sheet: clock", "clock|bytes",
         "bytes: read off counters [measured]; sheet: clock", EVIDENCE_PUBLISHED},
        {"bytes: read off counters [measured]", "bytes", "bytes: read off counters [measured]", EVIDENCE_MEASURED},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        const struct gpu gpu = {.source = rows[i].source};
        assert_int_equal(gpu_origin(&gpu, rows[i].figure, text, sizeof text), rows[i].known);
        assert_string_equal(text, rows[i].text);
    }
}

static const struct gpu *part(const char *text, struct gpu_part **made) {
    const struct gpu *gpu;
    struct error error = {0};
    return gpu_part_find(text, &gpu, made, &error) == STATUS_OK ? gpu : NULL;
}

static void changed_parts(void **state) {
    (void)state;
    struct gpu_part *made;
    assert_ptr_equal(part("H200", &made), gpu_find("h200"));
    assert_null(made);
    const struct gpu *base = gpu_find("mi210"), *gpu = part("MI210,units=52:memory=819.2,l2=4M,clock=850", &made);
    assert_string_equal(gpu->name, "mi210:units=52:memory=819.2:l2=4M:clock=850");
    assert_true(gpu->compute_units == 52 && gpu->clock_mhz == 850 && gpu->l2_bytes == 4 << 20);
    assert_true(gpu->last_level_cache_bytes == gpu->l2_bytes && gpu->warp_width == base->warp_width);
    assert_float_equal(gpu_read_gb_s(gpu), gpu_read_gb_s(base) / 2, 0.01);
    assert_true(gpu_latency(gpu)->l2 == gpu_latency(base)->l2 && gpu_latency(gpu)->l2_read_bytes_per_clock == 0);
    assert_int_equal(checked_time(gpu, "gmem", "copy").evidence, EVIDENCE_DERIVED);
    free(made);
    gpu = part("h200,memory=4000", &made); // units and caches stay, and so do rates and ports
    assert_memory_equal(gpu_latency(gpu), gpu_latency(gpu_find("h200")), sizeof *gpu_latency(gpu));
    free(made);
    gpu = part("mi300x,l1=4K", &made); // fewer lines than ways
    assert_int_equal(gpu_latency(gpu)->l1_sets.ways, 32);
    free(made);
    assert_null(gpu_latency(part("k40,units=8", &made))); // as its row
    free(made);
    static const char *const bad[] = {"h201",
                                      "",
                                      "h200,",
                                      "h200,units",
                                      "h200,units=0",
                                      "h200,l2=1",
                                      "h200,x=1",
                                      "h200,units=x",
                                      "h200:h100",
                                      "h200,memory=-1",
                                      "mi300x,l2=1G",
                                      "h200,units=1:units=2",
                                      "h200,l2=30M,units=3,l2=30M"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_null(part(bad[i], &made));
        assert_null(made);
    }
    assert_int_equal(gpu_list_item("sim:h200,units=1,memory=2,cpu"), strlen("sim:h200,units=1,memory=2"));
    assert_int_equal(gpu_list_item("sim:h200,sim:h100,units=1"), strlen("sim:h200"));
    assert_int_equal(gpu_list_item("h200"), 4);
}

// What passes through the L2 is never slower in memory, and a unit holds whole warps.
static void rates_are_possible(void **state) {
    (void)state;
    const struct gpu *gpu = gpu_rows;
    for (size_t i = 0; i < gpu_row_count; i++, gpu++) {
        const double l2_gb_s = gpu_l2_bytes_per_clock(gpu) * gpu->clock_mhz / 1000;
        assert_true(l2_gb_s >= gpu->memory_gb_s);
        assert_true(gpu_cache_gb_s(gpu) >= gpu->memory_gb_s);
        assert_true(gpu_read_gb_s(gpu) <= gpu->memory_gb_s && gpu_write_gb_s(gpu) <= gpu->memory_gb_s);
        assert_true(!gpu->l2_private || gpu->l2_parts > 1);
        assert_int_equal(gpu_unit_threads(gpu) % gpu->warp_width, 0);
    }
    assert_int_equal(gpu_unit_threads(gpu_find("mi100")), 2560);
    assert_int_equal(gpu_unit_threads(gpu_find("mi210")), 2048);
    assert_int_equal(gpu_unit_threads(gpu_find("rx7900xtx")), 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_gpus), cmocka_unit_test(rates_are_possible),
        cmocka_unit_test(drivers_names), cmocka_unit_test(warps_by_registers),
        cmocka_unit_test(origins),       cmocka_unit_test(evidence_of_origins),
        cmocka_unit_test(changed_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
