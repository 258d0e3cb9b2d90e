// Compiles kernels to PTX or AMDGPU assembly, so that the simulator runs the code of the vendor's compiler.
#ifndef SIM_COMPILE_VIA_H
#define SIM_COMPILE_VIA_H

#include "device/device.h"
#include "sim/compile/user/compile.h"
#include "util/text.h"

// What compilers made for a device, which keeps it, so that the kernels of a file with the same constants are compiled
// once.
struct sim_via {
    struct names requests;  // the way, and the request's identity
    struct gpu_text *texts; // by the request's number
    char *clang;            // its path; NULL: not looked for yet
    char arch[32];          // that clang took, which may be an older part's; empty: not yet known
    // What each of the program's own kernels includes, after clang's preprocessing for `arch`; NULL: not yet known.
    char *headers;
};

// Finds what was made of the request, or compiles it and adds it; *text stays where it is until the next call. VIA_PTX:
// NVRTC compiles bankshot's kernels; NVRTC, nvcc or clang, the first that understands it, a user's. VIA_AMDGCN: the
// newest clang that is found and knows AMD's GPUs. Returns STATUS_NO_DEVICE if there is no such compiler, STATUS_USAGE
// if the GPU is another vendor's.
enum status sim_via_get(struct sim_via *made, enum device_via via, const struct kernel_request *request,
                        const struct gpu *gpu, const struct gpu_text **text, struct error *error);
void sim_via_forget(struct sim_via *made);

// VIA_AMDGCN for an AMD part if there is a clang for it, else VIA_C.
enum device_via sim_via_usual(const struct gpu *gpu);

// The name and version of the compiler that makes such instructions of bankshot's kernels; empty for VIA_C, and if
// there is none.
void sim_via_compiler(enum device_via via, char *text, size_t size);

#endif
