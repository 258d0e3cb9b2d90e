#include "model/parts/links.h"

#include <string.h>

#define WHITEPAPERS "https://www.amd.com/content/dam/amd/en/documents/instinct-tech-docs/white-papers/"
#define NVIDIA_PAGE "https://www.nvidia.com/en-us/data-center/"
#define ROCM_DOCS "https://rocm.docs.amd.com/"

// What a source calls it, and where it is.
static const struct link {
    const char *named, *where;
} table[] = {
    // NVIDIA
    {"CUDA Programming Guide", "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"},
    {"throughput of arithmetic instructions", "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"},
    {"CUDA C Programming Guide 10", "https://docs.nvidia.com/cuda/archive/10.0/cuda-c-programming-guide/"},
    {"Kernel Profiling Guide", "https://docs.nvidia.com/nsight-compute/ProfilingGuide/"},
    {"the driver's device properties", "https://docs.nvidia.com/cuda/cuda-runtime-api/structcudaDeviceProp.html"},
    {"Tesla K40 board specification",
     "https://www.nvidia.com/content/PDF/kepler/Tesla-K40-Active-Board-Spec-BD-06949-001_v03.pdf"},
    {"GeForce GTX 1080 whitepaper",
     "https://international.download.nvidia.com/geforce-com/international/pdfs/GeForce_GTX_1080_Whitepaper_FINAL.pdf"},
    {"V100 whitepaper", "https://images.nvidia.com/content/volta-architecture/pdf/volta-architecture-whitepaper.pdf"},
    {"T4 datasheet", NVIDIA_PAGE "tesla-t4/"},
    {"GA102 whitepaper",
     "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.1.pdf"},
    {"A100 whitepaper", "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/"
                        "nvidia-ampere-architecture-whitepaper.pdf"},
    {"A40 datasheet", NVIDIA_PAGE "a40/"},
    {"Jetson AGX Orin", "https://www.nvidia.com/content/dam/en-zz/Solutions/gtcf21/jetson-orin/"
                        "nvidia-jetson-agx-orin-technical-brief.pdf"},
    {"Ada whitepaper", "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf"},
    {"L4 datasheet", NVIDIA_PAGE "l4/"},
    {"L40 datasheet", NVIDIA_PAGE "l40/"},
    {"L40S datasheet", NVIDIA_PAGE "l40s/"},
    {"NVIDIA's product page", "https://www.nvidia.com/en-us/geforce/graphics-cards/compare/"},
    {"NVIDIA's announcement", "https://www.nvidia.com/en-us/geforce/graphics-cards/40-series/rtx-4070-family/"},
    {"H100 whitepaper", "https://resources.nvidia.com/en-us-tensor-core/gtc22-whitepaper-hopper"},
    {"H200 datasheet", NVIDIA_PAGE "h200/"},
    {"GH200 datasheet", NVIDIA_PAGE "grace-hopper-superchip/"},
    {"DGX B200 datasheet", NVIDIA_PAGE "dgx-b200/"},
    {"Blackwell Tuning Guide", "https://docs.nvidia.com/cuda/blackwell-tuning-guide/"},
    {"Inside Blackwell Ultra",
     "https://developer.nvidia.com/blog/inside-nvidia-blackwell-ultra-the-chip-powering-the-ai-factory-era/"},
    // AMD
    {"AMD GPU specifications", ROCM_DOCS "en/latest/reference/gpu-specs.html"},
    {"64 lanes in a CU", ROCM_DOCS "en/latest/reference/gpu-specs.html"},
    {"MI100 microarchitecture", ROCM_DOCS "en/latest/reference/gpu-arch/index.html"},
    {"ROCm Compute Profiler", ROCM_DOCS "projects/rocprofiler-compute/en/latest/"},
    {"rocprofiler-compute", "https://github.com/ROCm/rocprofiler-compute"},
    {"rocprof-compute", "https://github.com/ROCm/rocprofiler-compute"},
    {"kfd_crat.c", "https://github.com/torvalds/linux/blob/master/drivers/gpu/drm/amd/amdkfd/kfd_crat.c"},
    {"CDNA 2 whitepaper", WHITEPAPERS "amd-cdna2-white-paper.pdf"},
    {"CDNA 3 whitepaper", WHITEPAPERS "amd-cdna-3-white-paper.pdf"},
    {"CDNA 4 whitepaper", WHITEPAPERS "amd-cdna-4-architecture-whitepaper.pdf"},
    {"MI50 datasheet", "https://www.amd.com/en/products/accelerators/instinct.html"},
    {"MI210 datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi200/mi210.html"},
    {"MI250 datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi200/mi250.html"},
    {"MI325X datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html"},
    {"MI355X datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html"},
    {"RDNA 2 announcement", "https://www.amd.com/en/products/specifications/graphics.html"},
    {"AMD product page: ", "https://www.amd.com/en/products/specifications/graphics.html"},
    {"AMD product page, ", "https://www.amd.com/en/products/specifications/graphics.html"},
    {"Ryzen AI Max+", "https://www.amd.com/en/products/specifications/processors.html"},
    {"RDNA whitepaper", "https://gpuopen.com/amd-gpu-architecture-programming-documentation/"},
    // What others measured
    {"Dissecting the NVIDIA Volta", "https://arxiv.org/abs/1804.06826"},
    {"Jia et al., 2018", "https://arxiv.org/abs/1804.06826"},
    {"Turing T4 GPU", "https://arxiv.org/abs/1903.07486"},
    {"2019, section 3.1.2", "https://arxiv.org/abs/1903.07486"},
    {"Benchmarking and Dissecting the Nvidia Hopper", "https://arxiv.org/abs/2402.13499"},
    {"Dissecting the NVIDIA Hopper Architecture, 2025", "https://arxiv.org/abs/2501.12084"},
    {"MT4G", "https://github.com/caps-tum/mt4g"},
    {"gpu-benches", "https://github.com/RRZE-HPC/gpu-benches"},
    {"gpu-arch-microbenchmark", "https://github.com/sjfeng1999/gpu-arch-microbenchmark"},
    {"Funny L2", "https://chipsandcheese.com/2023/07/02/nvidias-h100-funny-l2-and-tons-of-bandwidth/"},
    {"Testing AMD's Giant MI300X", "https://chipsandcheese.com/p/testing-amds-giant-mi300x"},
    // Files of the repository
    {"docs/model.md", "docs/model.md"},
    {"results/h200/levels.csv", "results/h200/levels.csv"},
    {"results/h200/levels-units.csv", "results/h200/levels-units.csv"},
    {"results/h100", "results/h100/levels.csv"},
    {"results/published/latency.csv", "results/published/latency.csv"},
    {"stream.csv", "results/published/amd/stream.csv"},
    {"spatter-mi210.csv", "results/published/amd/spatter-mi210.csv"},
    {"roofline-mi210.csv", "results/published/amd/roofline-mi210.csv"},
    {"dram__bytes_read", "results/h200/README.md"},
    {"gpu_limits.c", "model/gpu_limits.c"},
    {"5/6 of an H200's", "model/gpus.c"},
    // Derived of figures that stand beside it, or guessed
    {"the L2 is the last-level cache", "model/gpus.c"},
    {"reaches only the part of the L2", "model/gpus.c"},
    {"[derived]", "model/gpus.c"},
    {"[guess]", "model/gpus.c"},
    {"want of a source", "model/time/latency.c"},
    {"no source found; build/levels", "docs/parts.md"},
    {"no source says", "docs/parts.md"},
    {"2048 is assumed", "model/gpu_limits.c"},
    {"given on the command line", "docs/parts.md"},
    {"peak / (units x clock)", "docs/parts.md"},
    {"updates a clock x units", "docs/parts.md"},
    {"latency of memory x bytes", "docs/parts.md"},
};

size_t source_links(const char *source, const char *links[LINKS_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table && count < LINKS_MAX; i++) {
        size_t same = 0;
        while (same < count && strcmp(links[same], table[i].where) != 0) {
            same++;
        }
        if (same == count && strstr(source, table[i].named)) {
            links[count++] = table[i].where;
        }
    }
    return count;
}
