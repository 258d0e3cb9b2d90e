// The sum of the vendor's library behind a C interface, which reduce loads at run time (reduce/reduce_job.c).
// Built by nvcc with CUB, or by hipcc with hipCUB.
#include <cstddef>
#include <cstdint>

#ifdef __HIP__
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>
namespace library = hipcub;
typedef hipError_t status_t;
#define ERROR_TEXT hipGetErrorString
#define SUCCESS hipSuccess
#define STREAM hipStream_t
#define VERSION HIPCUB_VERSION
#else
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
namespace library = cub;
typedef cudaError_t status_t;
#define ERROR_TEXT cudaGetErrorString
#define SUCCESS cudaSuccess
#define STREAM cudaStream_t
#define VERSION CUB_VERSION
#endif

// Major * 100000 + minor * 100 + patch.
extern "C" int bankshot_library_version(void) {
    return VERSION;
}

// A number of elements that fits into 32 bits is passed as such, as most users do, because 32-bit indices are cheaper.
template <typename Number>
static status_t sum(const void *in, void *out, uint64_t elements, void *scratch, size_t *bytes, void *stream) {
    const Number *from = static_cast<const Number *>(in);
    Number *to = static_cast<Number *>(out);
    if (elements <= INT32_MAX) {
        return library::DeviceReduce::Sum(scratch, *bytes, from, to, static_cast<int32_t>(elements),
                                          static_cast<STREAM>(stream));
    }
    return library::DeviceReduce::Sum(scratch, *bytes, from, to, static_cast<int64_t>(elements),
                                      static_cast<STREAM>(stream));
}

// type: enum reduce_type. scratch NULL: only returns the bytes it needs. Returns NULL, or a description of the fault.
extern "C" const char *bankshot_library_sum(int type, const void *in, void *out, uint64_t elements, void *scratch,
                                            size_t *bytes, void *stream) {
    static status_t (*const sums[])(const void *, void *, uint64_t, void *, size_t *,
                                    void *) = {sum<uint32_t>, sum<uint64_t>, sum<float>, sum<double>};
    const status_t error = sums[type](in, out, elements, scratch, bytes, stream);
    return error == SUCCESS ? nullptr : ERROR_TEXT(error);
}
