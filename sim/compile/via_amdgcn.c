#include "sim/compile/via_amdgcn.h"

#include "sim/compile/clang.h"

enum status sim_compile_to_amdgcn(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                                  struct error *error) {
    *text = (struct gpu_text){0};
    if (gpu->vendor != VENDOR_AMD) {
        return error_set(error, STATUS_USAGE,
                         "--via amdgcn: these instructions are AMD's: choose one of its GPUs, not %s", gpu->name);
    }
    return request->language == KERNEL_CXX ? sim_clang_compile_user(request, gpu, text, error)
                                           : sim_clang_compile(request, gpu, text, error);
}
