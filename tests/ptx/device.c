// Runs tests/ptx/operations on an NVIDIA GPU through its driver, and prints the sum of each operation's results:
//   cc -D_GNU_SOURCE -I. -o ptx_device tests/ptx/device.c -ldl && ./ptx_device [RESULTS] >tests/ptx/sums.h200
// RESULTS: a file for the results themselves, 8 bytes for each operation and thread.
#include <dlfcn.h>

#include "tests/ptx/operations.h"

// The driver's functions, which need no header. Each returns 0 where it succeeds.
typedef int driver_call();

static void *driver;

static driver_call *find(const char *name) {
    driver_call *call;
    void *symbol = dlsym(driver, name);
    memcpy(&call, &symbol, sizeof symbol);
    if (!call) {
        fprintf(stderr, "ptx_device: no %s in the driver\n", name);
        exit(3);
    }
    return call;
}

static void must(int result, const char *what) {
    if (result) {
        fprintf(stderr, "ptx_device: %s: CUDA error %d\n", what, result);
        exit(1);
    }
}

static void *run(const char *text, size_t operations) {
    const size_t bytes = operations * OPERATION_THREADS * sizeof(uint64_t);
    static uint64_t inputs[3 * OPERATION_THREADS];
    void *context = NULL, *module = NULL, *function = NULL, *results = malloc(bytes);
    uint64_t in = 0, out = 0;
    int device = 0;
    operations_inputs(inputs);
    must(find("cuInit")(0), "cuInit");
    must(find("cuDeviceGet")(&device, 0), "cuDeviceGet");
    must(find("cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
    must(find("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
    must(find("cuModuleLoadData")(&module, text), "cuModuleLoadData");
    must(find("cuModuleGetFunction")(&function, module, "operations"), "cuModuleGetFunction");
    must(find("cuMemAlloc_v2")(&in, sizeof inputs), "cuMemAlloc");
    must(find("cuMemAlloc_v2")(&out, bytes), "cuMemAlloc");
    must(find("cuMemcpyHtoD_v2")(in, (void *)inputs, sizeof inputs), "cuMemcpyHtoD");
    void *parameters[] = {&in, &out};
    must(find("cuLaunchKernel")(function, OPERATION_THREADS / 256, 1, 1, 256, 1, 1, 0, NULL, (void *)parameters, NULL),
         "cuLaunchKernel");
    must(find("cuMemcpyDtoH_v2")(results, out, bytes), "cuMemcpyDtoH");
    return results;
}

int main(int argument_count, char **arguments) {
    static struct operations operations;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver || !operations_read(&operations, "tests/ptx/operations")) {
        fprintf(stderr,
                "ptx_device: no driver, or no tests/ptx/operations: run it in the repository's root on a GPU\n");
        return 3;
    }
    char *text = operations_ptx(&operations);
    uint64_t *results = run(text, operations.count);
    for (size_t i = 0; i < operations.count; i++) {
        const struct operation *operation = &operations.operation[i];
        printf("%016llx %s\n", (unsigned long long)operation_sum(operation->result, results + i * OPERATION_THREADS),
               operation->text);
    }
    if (argument_count > 1) {
        FILE *file = fopen(arguments[1], "wb");
        if (!file || fwrite(results, OPERATION_THREADS * sizeof *results, operations.count, file) != operations.count ||
            fclose(file) != 0) {
            fprintf(stderr, "ptx_device: %s cannot be written\n", arguments[1]);
            return 1;
        }
    }
    free(results);
    free(text);
    return 0;
}
