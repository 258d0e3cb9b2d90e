// Runs tests/data/ptx/operations, or the products of tests/data/ptx/products.h or tests/data/ptx/fragments.h, on an
// NVIDIA GPU through its driver, and prints the sum of each one's results:
//   cc -D_GNU_SOURCE -I. -o ptx_device tests/data/ptx/device.c -ldl
//   ./ptx_device operations [RESULTS] >tests/data/ptx/sums.h200
//   ./ptx_device products [RESULTS] >tests/data/ptx/products.h200
//   ./ptx_device fragments [RESULTS] >tests/data/ptx/fragments.h200
// RESULTS: a file for the results themselves.
#include <dlfcn.h>

#include "tests/data/ptx/fragments.h"

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

struct job {
    const char *text, *entry;
    const void *inputs;
    size_t input_bytes, result_bytes, block;
};

static void *run(const struct job *job) {
    void *context = NULL, *module = NULL, *function = NULL, *results = malloc(job->result_bytes);
    uint64_t in = 0, out = 0;
    int device = 0;
    must(find("cuInit")(0), "cuInit");
    must(find("cuDeviceGet")(&device, 0), "cuDeviceGet");
    must(find("cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
    must(find("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
    must(find("cuModuleLoadData")(&module, job->text), "cuModuleLoadData");
    must(find("cuModuleGetFunction")(&function, module, job->entry), "cuModuleGetFunction");
    must(find("cuMemAlloc_v2")(&in, job->input_bytes), "cuMemAlloc");
    must(find("cuMemAlloc_v2")(&out, job->result_bytes), "cuMemAlloc");
    must(find("cuMemsetD8_v2")(out, 0, job->result_bytes), "cuMemsetD8");
    must(find("cuMemcpyHtoD_v2")(in, job->inputs, job->input_bytes), "cuMemcpyHtoD");
    void *parameters[] = {&in, &out};
    must(find("cuLaunchKernel")(function, (unsigned)(OPERATION_THREADS / job->block), 1, 1, (unsigned)job->block, 1, 1,
                                0, NULL, (void *)parameters, NULL),
         "cuLaunchKernel");
    must(find("cuMemcpyDtoH_v2")(results, out, job->result_bytes), "cuMemcpyDtoH");
    return results;
}

static void keep(const char *path, const void *results, size_t bytes) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(results, 1, bytes, file) != bytes || fclose(file) != 0) {
        fprintf(stderr, "ptx_device: %s cannot be written\n", path);
        exit(1);
    }
}

static void run_operations(const char *path) {
    static struct operations operations;
    static uint64_t inputs[3 * OPERATION_THREADS];
    if (!operations_read(&operations, "tests/data/ptx/operations")) {
        fprintf(stderr, "ptx_device: no tests/data/ptx/operations: run it in the repository's root\n");
        exit(3);
    }
    operations_inputs(inputs);
    const struct job job = {operations_ptx(&operations),
                            "operations",
                            inputs,
                            sizeof inputs,
                            operations.count * OPERATION_THREADS * sizeof(uint64_t),
                            256};
    const uint64_t *results = run(&job);
    for (size_t i = 0; i < operations.count; i++) {
        const struct operation *operation = &operations.operation[i];
        printf("%016llx %s\n", (unsigned long long)operation_sum(operation->result, results + i * OPERATION_THREADS),
               operation->text);
    }
    if (path) {
        keep(path, results, job.result_bytes);
    }
}

// Products of matrices, whose threads all have the same number of words.
struct products_kind {
    const char *entry;
    size_t count;
    char *(*ptx)(void);
    void (*inputs)(uint32_t *in);
    uint64_t (*sum)(size_t i, const uint32_t *results);
    const char *(*name)(size_t i);
};

static void run_matrices(const struct products_kind *kind, const char *path) {
    const size_t in = OPERATION_THREADS * PRODUCT_IN, out = OPERATION_THREADS * PRODUCT_OUT;
    uint32_t *inputs = malloc(kind->count * in * sizeof *inputs);
    if (!inputs) {
        fprintf(stderr, "ptx_device: no memory for the inputs\n");
        exit(1);
    }
    kind->inputs(inputs);
    const struct job job = {
        kind->ptx(), kind->entry, inputs, kind->count * in * sizeof *inputs, kind->count * out * sizeof *inputs, 128};
    const uint32_t *results = run(&job);
    for (size_t i = 0; i < kind->count; i++) {
        printf("%016llx %s\n", (unsigned long long)kind->sum(i, results + i * out), kind->name(i));
    }
    if (path) {
        keep(path, results, job.result_bytes);
    }
}

static void run_products(const char *path) {
    run_matrices(
        &(struct products_kind){"products", PRODUCTS, products_ptx, products_inputs, products_sum, products_name},
        path);
}

static void run_fragments(const char *path) {
    run_matrices(&(struct products_kind){"fragments", FRAGMENTS_PRODUCTS, fragments_ptx, fragments_inputs,
                                         fragments_sum, fragments_name},
                 path);
}

int main(int argument_count, char **arguments) {
    static const struct {
        const char *name;
        void (*run)(const char *path);
    } kinds[] = {{"operations", run_operations}, {"products", run_products}, {"fragments", run_fragments}};
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && driver && argument_count > 1; i++) {
        if (!strcmp(arguments[1], kinds[i].name)) {
            kinds[i].run(argument_count > 2 ? arguments[2] : NULL);
            return 0;
        }
    }
    fprintf(stderr, "ptx_device: no driver, or no argument: run it on a GPU with operations, products or fragments\n");
    return 3;
}
