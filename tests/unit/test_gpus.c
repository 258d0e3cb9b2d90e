// The table of GPUs, and the names by which drivers know them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/gpu_match.h"
#include "model/gpus.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void table_of_gpus(void **state) {
    (void)state;
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct gpu *gpu = &gpus[i];
        assert_ptr_equal(gpu_find(gpu->name), gpu);
        assert_true(gpu->warp_width == 32 || gpu->warp_width == 64);
        assert_true(gpu->line_bytes % gpu->sector_bytes == 0);
        assert_true(gpu->compute_units && gpu->clock_mhz && gpu->l2_bytes && gpu->memory_bytes);
        assert_true(gpu->memory_gb_s > 0 && gpu->min_plus_per_clock > 0 && strlen(gpu->source) > 40);
        assert_true(gpu->last_level_cache_bytes >= gpu->l2_bytes);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(gpu->name, gpus[j].name);
        }
    }
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
        {"NVIDIA GH200 480GB", "sm_90", 132, NULL},
        {"NVIDIA GH200 144G HBM3e", "sm_90", 132, NULL},
        {"NVIDIA B200", "sm_100", 148, "b200"},
        {"NVIDIA A100-SXM4-80GB", "sm_80", 108, "a100"},
        {"NVIDIA A100-SXM-80GB", "sm_80", 108, "a100"},
        {"NVIDIA A100-SXM4-40GB", "sm_80", 108, NULL},
        {"NVIDIA A100 80GB PCIe", "sm_80", 108, NULL},
        {"NVIDIA L40S", "sm_89", 142, "l40s"},
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
        {"AMD Instinct MI250X/MI250", "gfx90a:sramecc+:xnack-", 104, NULL}, // an MI250
        {"AMD Instinct MI210", "gfx942", 0, NULL},
        {"AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 304, "mi300x"},
        {"AMD Instinct MI300X VF", "gfx942:sramecc+:xnack-", 304, "mi300x"},
        {"AMD Instinct MI300X OAM", "gfx942:sramecc+:xnack-", 304, "mi300x"},
        {"AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 38, NULL}, // one XCD, as a partition
        {"AMD Instinct MI300A", "gfx942:sramecc+:xnack-", 228, NULL},
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_gpus),
        cmocka_unit_test(drivers_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
