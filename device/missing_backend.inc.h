// A backend whose headers were not there when the program was built: it says so.
// The including file defines GPU_BACKEND ("cuda"), GPU_OPERATIONS (cuda_backend), GPU_HEADER (what is missing) and, for
// a backend with a compiler of its own, GPU_COMPILE (see compile.h).

static enum status left_out(struct error *error) {
    return error_set(error, STATUS_NO_DEVICE,
                     GPU_BACKEND " was left out when this program was built: install " GPU_HEADER " and build again");
}

static enum status count_none(uint32_t *count, struct error *error) {
    *count = 0;
    return left_out(error);
}

static enum status open_none(const char *selector, struct device **device, struct error *error) {
    (void)selector;
    *device = NULL;
    return left_out(error);
}

#ifdef GPU_COMPILE
enum status GPU_COMPILE(const struct kernel_request *request, const char *arch, uint32_t warp_width,
                        struct gpu_code *code, struct error *error) {
    (void)request;
    (void)arch;
    (void)warp_width;
    *code = (struct gpu_code){0};
    return left_out(error);
}
#endif

const struct device_operations GPU_OPERATIONS = {.name = GPU_BACKEND, .count = count_none, .open = open_none};
