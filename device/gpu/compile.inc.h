// From a kernel's text to code: NVRTC and hiprtc are called alike. Included by cuda.c and hip.c after api.inc.h;
// they define
//   GPU_COMPILE                              the function, see compile.h
//   rtc_program, rtc_result, RTC_SUCCESS     the compiler's own types
//   compile_options                          the options of every compilation
//   ARCH_OPTION                              "--gpu-architecture="
//   get_code(program, arch, code)            what was compiled

static rtc_result get_code(rtc_program program, const char *arch, struct gpu_code *code);

// To be freed; NULL where there is none.
static char *get_log(rtc_program program) {
    size_t size = 0;
    if (compiler.log_size(program, &size) != RTC_SUCCESS || size <= 1) {
        return NULL;
    }
    char *log = calloc(1, size + 1);
    if (log && compiler.log(program, log) != RTC_SUCCESS) {
        *log = '\0';
    }
    return log;
}

// Reads what one of the compiler's pairs of functions gives: how much, and the bytes.
static rtc_result read_code(rtc_program program, rtc_result (*get_size)(rtc_program, size_t *),
                            rtc_result (*get_bytes)(rtc_program, char *), struct gpu_code *code) {
    rtc_result result = get_size(program, &code->size);
    if (result != RTC_SUCCESS) {
        return result;
    }
    code->bytes = malloc(code->size + 1);
    return code->bytes ? get_bytes(program, code->bytes) : RTC_OUT_OF_MEMORY;
}

static enum status fill_options(struct gpu_options *options, const struct kernel_request *request, const char *arch,
                                uint32_t warp_width, struct error *error) {
    *options = (struct gpu_options){0};
    enum status status = gpu_options_add(options, error, ARCH_OPTION "%s", arch);
    for (size_t i = 0; i < sizeof compile_options / sizeof *compile_options && status == STATUS_OK; i++) {
        status = gpu_options_add(options, error, "%s", compile_options[i]);
    }
    return status == STATUS_OK ? gpu_options_add_constants(options, request, warp_width, error) : status;
}

static rtc_result create_program(const struct kernel_request *request, rtc_program *program) {
    const char *text = gpu_kernel_header, *name = "device/kernel/kernel.h";
    return compiler.create(program, request->source->text, request->source->file_name, 1, &text, &name);
}

enum status GPU_COMPILE(const struct kernel_request *request, const char *arch, uint32_t warp_width,
                        struct gpu_code *code, struct error *error) {
    *code = (struct gpu_code){0};
    struct gpu_options options;
    enum status status = load_compiler(error);
    if (status == STATUS_OK) {
        status = fill_options(&options, request, arch, warp_width, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    rtc_program program = NULL;
    rtc_result result = create_program(request, &program);
    if (result == RTC_SUCCESS) {
        result = compiler.compile(program, options.count, options.option);
    }
    if (result == RTC_SUCCESS) {
        result = get_code(program, arch, code);
    }
    if (result != RTC_SUCCESS) {
        char *log = program ? get_log(program) : NULL;
        status = gpu_compile_failed(request, arch, &options, compiler.error_text(result), log, error);
        free(log);
        free(code->bytes);
        *code = (struct gpu_code){0};
    }
    if (program) {
        compiler.destroy(&program);
    }
    return status;
}
