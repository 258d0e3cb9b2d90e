// The operations of device.h over CUDA's driver API and HIP's module API, which mirror each other call for call.
// Included by cuda.c and hip.c after compile.inc.h; they define
//   gpu_result, gpu_pointer, gpu_stream, gpu_event, gpu_module, gpu_function    the driver's own types
//   GPU_SUCCESS, GPU_OUT_OF_MEMORY, GPU_REFUSED_LAUNCH(result), GPU_STREAM_NON_BLOCKING, GPU_PIN_PORTABLE,
//   GPU_BACKEND ("cuda"), ATTRIBUTE_...
// and the few functions declared below, in which the two differ.

enum {
    ORDINALS_MAX = 64
};

struct gpu_device {
    struct device base;
    int ordinal;
    gpu_place place;            // a context, or the ordinal itself
    gpu_stream stream;          // its own one
    char target[64];            // what the compiler is told: "sm_90", "gfx90a:sramecc+:xnack-"
    bool reached[ORDINALS_MAX]; // the devices whose memory this one has asked to reach directly
};

struct stream {
    gpu_stream stream;
};

struct kernel {
    gpu_module module;
    gpu_function function;
    char entry[128];
    uint32_t shared_allowed; // bytes of dynamic shared memory that the driver was told of
};

struct event {
    gpu_event event;
};

static gpu_result place_open(struct gpu_device *device);
static void place_close(struct gpu_device *device);
static gpu_result place_enter(const struct gpu_device *device);
static void place_reach(const struct gpu_device *peer); // from the current place into peer's memory
static gpu_result place_copy_rows(const struct device_rows *rows, gpu_stream stream);
static void find_link(const struct gpu_device *device, const struct gpu_device *peer, struct device_link *link);
static const char *error_name(gpu_result result);
static const char *error_text(gpu_result result);
static gpu_result allow_shared(gpu_function function, int bytes);
static enum status find_target(struct gpu_device *device, struct error *error); // fills target and info.arch
static double find_peak_gb_s(const struct gpu_device *device);
static double find_time_counter_mhz(const struct gpu_device *device);
static void version_text(char *text, size_t size, int version);

static struct gpu_device *gpu(struct device *device) {
    return (struct gpu_device *)device;
}

static gpu_stream stream_of(const struct gpu_device *device) {
    return device->base.stream ? device->base.stream->stream : device->stream;
}

// The driver's own words for a fault: "NAME (text)", or the name alone where the text is no more than that.
static const char *error_words(gpu_result result, char words[DEVICE_TEXT]) {
    const char *name = error_name(result), *text = error_text(result);
    bool same = !strcmp(name, text);
    snprintf(words, DEVICE_TEXT, "%s%s%s%s", name, same ? "" : " (", same ? "" : text, same ? "" : ")");
    return words;
}

static enum status fault(const struct gpu_device *device, gpu_result result, const char *what, const char *advice,
                         struct error *error) {
    char words[DEVICE_TEXT];
    return error_set(error, STATUS_FAILED, "%s: %s failed with %s: %s", device->base.info.spec, what,
                     error_words(result, words), result == GPU_OUT_OF_MEMORY ? "ask for less memory" : advice);
}

static enum status check(const struct gpu_device *device, gpu_result result, const char *what, struct error *error) {
    return result == GPU_SUCCESS ? STATUS_OK
                                 : fault(device, result, what, "this run can do no more on the device", error);
}

// ---- devices ----

static enum status device_count(uint32_t *count, struct error *error) {
    *count = 0;
    enum status status = load_driver(error);
    if (status == STATUS_OK) {
        status = load_compiler(error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    int devices = 0;
    gpu_result result = driver.initialise(0);
    if (result == GPU_SUCCESS) {
        result = driver.device_count(&devices);
    }
    if (result != GPU_SUCCESS) {
        char words[DEVICE_TEXT];
        return error_set(error, STATUS_NO_DEVICE, "the driver finds no GPU, %s: see that its kernel module is loaded",
                         error_words(result, words));
    }
    if (devices <= 0) {
        return error_set(error, STATUS_NO_DEVICE, "the driver finds no GPU: see that one is there and may be used");
    }
    *count = (uint32_t)devices;
    return STATUS_OK;
}

// From the text behind the colon, or NULL for the first device.
static enum status parse_ordinal(const char *selector, uint32_t count, int *ordinal, struct error *error) {
    char *end = NULL;
    const char *digits = selector ? selector : "0";
    unsigned long value = isdigit((unsigned char)*digits) ? strtoul(digits, &end, 10) : 0;
    if (!end || *end) {
        return error_set(error, STATUS_NO_DEVICE,
                         GPU_BACKEND ":%s: not the number of a device: use " GPU_BACKEND ":0 "
                                     "to " GPU_BACKEND ":%" PRIu32,
                         selector, count - 1);
    }
    if (value >= count) {
        return error_set(error, STATUS_NO_DEVICE,
                         GPU_BACKEND ":%s: no such device: there are %" PRIu32 ", see --list-devices", digits, count);
    }
    *ordinal = (int)value;
    return STATUS_OK;
}

// 0 where the driver does not know.
static int attribute(const struct gpu_device *device, gpu_attribute name) {
    int value = 0;
    return driver.attribute(&value, name, device->ordinal) == GPU_SUCCESS && value > 0 ? value : 0;
}

static void describe_software(struct gpu_device *device) {
    struct device_info *info = &device->base.info;
    char version[32];
    int number = 0, major = 0, minor = 0;
    driver.version(&number);
    version_text(version, sizeof version, number);
    snprintf(info->driver, sizeof info->driver, "%s, %.200s", version, driver.library.path);
    compiler.version(&major, &minor);
    snprintf(info->runtime, sizeof info->runtime, COMPILER_NAME " %d.%d, %.200s", major, minor, compiler.library.path);
    snprintf(info->compiler, sizeof info->compiler, COMPILER_NAME " %d.%d " ARCH_OPTION "%s", major, minor,
             device->target);
}

static void describe_hardware(struct gpu_device *device) {
    struct device_info *info = &device->base.info;
    size_t free_bytes = 0, bytes = 0;
    if (driver.memory_info(&free_bytes, &bytes) == GPU_SUCCESS) {
        info->memory_bytes = bytes;
        info->memory_free_bytes = free_bytes;
    }
    driver.device_name(info->name, sizeof info->name, device->ordinal);
    info->compute_units = (uint32_t)attribute(device, ATTRIBUTE_COMPUTE_UNITS);
    info->warp_width = (uint32_t)attribute(device, ATTRIBUTE_WARP_WIDTH);
    info->max_block_threads = (uint32_t)attribute(device, ATTRIBUTE_BLOCK_THREADS);
    info->shared_bytes_per_block = (uint32_t)attribute(device, ATTRIBUTE_SHARED_BYTES);
    info->shared_bytes_per_block_max = (uint32_t)attribute(device, ATTRIBUTE_SHARED_BYTES_MAX);
    if (info->shared_bytes_per_block_max < info->shared_bytes_per_block) {
        info->shared_bytes_per_block_max = info->shared_bytes_per_block;
    }
    info->clock_mhz = attribute(device, ATTRIBUTE_CLOCK_KHZ) / 1e3;
    info->time_counter_mhz = find_time_counter_mhz(device);
    info->gpu = gpu_match(info->name, info->arch, info->compute_units);
    info->last_level_cache_bytes =
        info->gpu ? info->gpu->last_level_cache_bytes : (uint64_t)attribute(device, ATTRIBUTE_L2_BYTES);
    info->peak_gb_s = info->gpu ? info->gpu->memory_gb_s : find_peak_gb_s(device);
}

static void device_shut(struct device *base) {
    struct gpu_device *device = gpu(base);
    if (device->stream && place_enter(device) == GPU_SUCCESS) {
        driver.stream_destroy(device->stream);
    }
    place_close(device);
    free(device);
}

static enum status set_up(struct gpu_device *device, struct error *error) {
    gpu_result result = place_open(device);
    if (result == GPU_SUCCESS) {
        result = place_enter(device);
    }
    if (result == GPU_SUCCESS) {
        result = driver.stream_create(&device->stream, GPU_STREAM_NON_BLOCKING);
    }
    if (result != GPU_SUCCESS) {
        return fault(device, result, "opening the device", "see that nobody holds it", error);
    }
    enum status status = find_target(device, error);
    if (status == STATUS_OK) {
        describe_hardware(device);
        describe_software(device);
    }
    return status;
}

static enum status open_device(const char *selector, struct device **opened, struct error *error) {
    *opened = NULL;
    uint32_t count = 0;
    int ordinal = 0;
    enum status status = device_count(&count, error);
    if (status == STATUS_OK) {
        status = parse_ordinal(selector, count, &ordinal, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    struct gpu_device *device = calloc(1, sizeof *device);
    if (!device) {
        return error_set(error, STATUS_FAILED, GPU_BACKEND ": out of memory");
    }
    device->base.operations = &GPU_OPERATIONS;
    device->ordinal = ordinal;
    snprintf(device->base.info.backend, sizeof device->base.info.backend, GPU_BACKEND);
    snprintf(device->base.info.spec, sizeof device->base.info.spec, GPU_BACKEND ":%d", ordinal);
    status = set_up(device, error);
    if (status != STATUS_OK) {
        device_shut(&device->base);
        return status;
    }
    *opened = &device->base;
    return STATUS_OK;
}

// ---- memory ----

static gpu_pointer pointer(uint64_t address) {
    return (gpu_pointer)(uintptr_t)address;
}

static enum status synchronize(struct device *base, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.stream_synchronize(stream_of(device));
    }
    return check(device, result, "what was launched before", error);
}

static enum status allocate(struct device *base, size_t bytes, uint64_t *address, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_pointer allocated = 0;
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.allocate(&allocated, bytes);
    }
    *address = (uint64_t)(uintptr_t)allocated;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes", bytes);
    return check(device, result, what, error);
}

static void release(struct device *base, uint64_t address) {
    if (address && place_enter(gpu(base)) == GPU_SUCCESS) {
        driver.release(pointer(address));
    }
}

static enum status pin(struct device *base, void *memory, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.pin(memory, bytes, GPU_PIN_PORTABLE);
    }
    char what[64];
    snprintf(what, sizeof what, "pinning %zu bytes of the host's memory", bytes);
    return check(device, result, what, error);
}

static void unpin(struct device *base, void *memory) {
    if (place_enter(gpu(base)) == GPU_SUCCESS) {
        driver.unpin(memory);
    }
}

static enum status copy_to_device_async(struct device *base, uint64_t to, const void *from, size_t bytes,
                                        struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.copy_to_device(pointer(to), GPU_COPY_SOURCE(from), bytes, stream_of(device));
    }
    return check(device, result, "copying to the device", error);
}

static enum status copy_to_host_async(struct device *base, void *to, uint64_t from, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.copy_to_host(to, pointer(from), bytes, stream_of(device));
    }
    return check(device, result, "copying to the host", error);
}

static enum status copy_to_device(struct device *base, uint64_t to, const void *from, size_t bytes,
                                  struct error *error) {
    enum status status = copy_to_device_async(base, to, from, bytes, error);
    return status == STATUS_OK ? synchronize(base, error) : status;
}

static enum status copy_to_host(struct device *base, void *to, uint64_t from, size_t bytes, struct error *error) {
    enum status status = copy_to_host_async(base, to, from, bytes, error);
    return status == STATUS_OK ? synchronize(base, error) : status;
}

static enum status copy_rows(struct device *base, const struct device_rows *rows, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = place_copy_rows(rows, stream_of(device));
    }
    if (result == GPU_SUCCESS) {
        result = driver.stream_synchronize(stream_of(device));
    }
    return check(device, result, "copying rows", error);
}

static enum status copy_on_device(struct device *base, uint64_t to, uint64_t from, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.copy_on_device(pointer(to), pointer(from), bytes, stream_of(device));
    }
    return check(device, result, "copying on the device", error);
}

static enum status copy_peer(struct device *to_base, uint64_t to, struct device *from_base, uint64_t from, size_t bytes,
                             struct error *error) {
    struct gpu_device *to_device = gpu(to_base), *device = gpu(from_base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS && to_device->ordinal == device->ordinal) {
        result = driver.copy_on_device(pointer(to), pointer(from), bytes, stream_of(device));
    } else if (result == GPU_SUCCESS) {
        bool *reached = &device->reached[to_device->ordinal % ORDINALS_MAX];
        if (!*reached) {
            place_reach(to_device); // where this fails, the driver copies through the host
            *reached = true;
        }
        result =
            driver.copy_peer(pointer(to), to_device->place, pointer(from), device->place, bytes, stream_of(device));
    }
    return check(device, result, "copying to another device", error);
}

// Where nothing faster joins them.
static void pci_link(const struct gpu_device *device, const struct gpu_device *peer, struct device_link *link) {
    char address[32], peer_address[32];
    if (driver.pci_address(address, sizeof address, device->ordinal) == GPU_SUCCESS &&
        driver.pci_address(peer_address, sizeof peer_address, peer->ordinal) == GPU_SUCCESS) {
        pci_link_name(address, peer_address, link->name, sizeof link->name);
    }
}

static void link_to(struct device *base, struct device *peer, struct device_link *link) {
    *link = (struct device_link){0};
    if (gpu(base)->ordinal == gpu(peer)->ordinal) {
        *link = (struct device_link){.direct = true, .name = "the same device"};
    } else {
        find_link(gpu(base), gpu(peer), link);
    }
}

static enum status fill(struct device *base, uint64_t address, uint8_t byte, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.fill(pointer(address), byte, bytes, stream_of(device));
    }
    return check(device, result, "filling memory", error);
}

// ---- kernels ----

static void discard(struct device *base, struct kernel *kernel) {
    if (kernel && kernel->module && place_enter(gpu(base)) == GPU_SUCCESS) {
        driver.unload_module(kernel->module);
    }
    free(kernel);
}

static enum status load(struct gpu_device *device, const struct kernel_request *request, const struct gpu_code *code,
                        struct kernel *kernel, struct error *error) {
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.load_module(&kernel->module, code->bytes);
    }
    if (result == GPU_SUCCESS) {
        result = driver.find_function(&kernel->function, kernel->module, request->entry);
    }
    char what[256];
    snprintf(what, sizeof what, "loading %s of %s, compiled for %s,", request->entry, request->source->file_name,
             device->target);
    return result == GPU_SUCCESS ? STATUS_OK
                                 : fault(device, result, what, "see that the compiler is as old as the driver", error);
}

static enum status build(struct device *base, const struct kernel_request *request, struct kernel **built,
                         struct error *error) {
    struct gpu_device *device = gpu(base);
    struct gpu_code code = {0};
    *built = NULL;
    enum status status = GPU_COMPILE(request, device->target, base->info.warp_width, &code, error);
    if (status != STATUS_OK) {
        return status;
    }
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel) {
        snprintf(kernel->entry, sizeof kernel->entry, "%s", request->entry);
        status = load(device, request, &code, kernel, error);
    } else {
        status = error_set(error, STATUS_FAILED, "%s: out of memory", base->info.spec);
    }
    free(code.bytes);
    if (status != STATUS_OK) {
        discard(base, kernel);
        return status;
    }
    *built = kernel;
    return STATUS_OK;
}

static enum status launch_failed(const struct gpu_device *device, const struct kernel *kernel,
                                 const struct launch *launch, gpu_result result, struct error *error) {
    char what[256];
    snprintf(what, sizeof what,
             "launching %s over %" PRIu32 "x%" PRIu32 "x%" PRIu32 " blocks of %" PRIu32 "x%" PRIu32 "x%" PRIu32
             " threads and %" PRIu32 " bytes of shared memory",
             kernel->entry, launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x, launch->block.y,
             launch->block.z, launch->dynamic_shared_bytes);
    return GPU_REFUSED_LAUNCH(result) ? fault(device, result, what, "see that a block is within its limits", error)
                                      : check(device, result, what, error);
}

static enum status launch_kernel(struct device *base, struct kernel *kernel, const struct launch *launch,
                                 struct error *error) {
    struct gpu_device *device = gpu(base);
    void *parameters[32];
    if (launch->argument_count > sizeof parameters / sizeof *parameters) {
        return error_set(error, STATUS_FAILED, "%s: %s has too many arguments", base->info.spec, kernel->entry);
    }
    for (size_t i = 0; i < launch->argument_count; i++) {
        // The driver reads them only, as many bytes of each as the kernel's parameter has.
        parameters[i] = (void *)(uintptr_t)&launch->arguments[i].value;
    }
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS && launch->dynamic_shared_bytes > kernel->shared_allowed) {
        result = allow_shared(kernel->function, (int)launch->dynamic_shared_bytes);
        kernel->shared_allowed = result == GPU_SUCCESS ? launch->dynamic_shared_bytes : kernel->shared_allowed;
    }
    if (result == GPU_SUCCESS) {
        result = driver.launch(kernel->function, launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x,
                               launch->block.y, launch->block.z, launch->dynamic_shared_bytes, stream_of(device),
                               parameters, NULL);
    }
    return result == GPU_SUCCESS ? STATUS_OK : launch_failed(device, kernel, launch, result, error);
}

static void *native_stream(struct device *base) {
    return stream_of(gpu(base));
}

// ---- streams and events ----

static enum status stream_create(struct device *base, struct stream **created, struct error *error) {
    struct gpu_device *device = gpu(base);
    struct stream *stream = calloc(1, sizeof *stream);
    int lowest = 0, highest = 0;
    *created = NULL;
    if (!stream) {
        return error_set(error, STATUS_FAILED, "%s: out of memory", base->info.spec);
    }
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.stream_priorities(&lowest, &highest);
    }
    if (result == GPU_SUCCESS) {
        result = driver.stream_create_prior(&stream->stream, GPU_STREAM_NON_BLOCKING, highest);
    }
    if (result != GPU_SUCCESS) {
        free(stream);
        return check(device, result, "creating a stream", error);
    }
    *created = stream;
    return STATUS_OK;
}

static void stream_destroy(struct device *base, struct stream *stream) {
    if (stream && place_enter(gpu(base)) == GPU_SUCCESS) {
        driver.stream_destroy(stream->stream);
    }
    free(stream);
}

static enum status event_create(struct device *base, struct event **created, struct error *error) {
    struct gpu_device *device = gpu(base);
    struct event *event = calloc(1, sizeof *event);
    *created = NULL;
    if (!event) {
        return error_set(error, STATUS_FAILED, "%s: out of memory", base->info.spec);
    }
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.event_create(&event->event, 0);
    }
    if (result != GPU_SUCCESS) {
        free(event);
        return check(device, result, "creating an event", error);
    }
    *created = event;
    return STATUS_OK;
}

static enum status event_record(struct device *base, struct event *event, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.event_record(event->event, stream_of(device));
    }
    return check(device, result, "recording an event", error);
}

static enum status event_wait(struct device *base, struct event *event, struct error *error) {
    struct gpu_device *device = gpu(base);
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.event_wait(stream_of(device), event->event, 0);
    }
    return check(device, result, "waiting for an event", error);
}

static enum status event_elapsed(struct device *base, struct event *start, struct event *stop, double *nanoseconds,
                                 struct error *error) {
    struct gpu_device *device = gpu(base);
    float milliseconds = 0;
    gpu_result result = place_enter(device);
    if (result == GPU_SUCCESS) {
        result = driver.event_elapsed(&milliseconds, start->event, stop->event);
    }
    *nanoseconds = (double)milliseconds * 1e6;
    return check(device, result, "timing", error);
}

static void event_destroy(struct device *base, struct event *event) {
    if (event && place_enter(gpu(base)) == GPU_SUCCESS) {
        driver.event_destroy(event->event);
    }
    free(event);
}

const struct device_operations GPU_OPERATIONS = {
    .name = GPU_BACKEND,
    .count = device_count,
    .open = open_device,
    .close = device_shut,
    .allocate = allocate,
    .release = release,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .copy_to_device_async = copy_to_device_async,
    .copy_to_host_async = copy_to_host_async,
    .copy_on_device = copy_on_device,
    .copy_peer = copy_peer,
    .fill = fill,
    .link = link_to,
    .copy_rows = copy_rows,
    .pin = pin,
    .unpin = unpin,
    .build = build,
    .discard = discard,
    .launch = launch_kernel,
    .synchronize = synchronize,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_elapsed = event_elapsed,
    .event_destroy = event_destroy,
    .native_stream = native_stream,
};
