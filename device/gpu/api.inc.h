// Loads a vendor's two libraries, the driver and the run-time compiler. Included by cuda.c and hip.c, which define
//   DRIVER_FUNCTIONS(F)        F(field, function) for each function used, by its name in the vendor's header
//   COMPILER_FUNCTIONS(F)      the same
//   driver_search, compiler_search   where the libraries are
// Types come from the headers, so a call that does not fit them does not compile. The name looked up is the one that
// the header's macros make of it ("cuMemAlloc_v2"), then the plain one.

#define GPU_FIELD(field, function) __typeof__(&function) field;
#define GPU_STRING(name) #name
#define GPU_SYMBOL(table, field, function, plain) {GPU_STRING(function), plain, offsetof(struct table, field)},
#define GPU_DRIVER_SYMBOL(field, function) GPU_SYMBOL(driver, field, function, #function)
#define GPU_COMPILER_SYMBOL(field, function) GPU_SYMBOL(compiler, field, function, #function)

static struct driver {
    struct library library;
    DRIVER_FUNCTIONS(GPU_FIELD)
} driver;

static struct compiler {
    struct library library;
    COMPILER_FUNCTIONS(GPU_FIELD)
} compiler;

// Whether this compiler's code will run on this driver, which is loaded already.
static bool compiler_suits(void *handle);

static enum status load_driver(struct error *error) {
    static const struct library_symbol symbols[] = {DRIVER_FUNCTIONS(GPU_DRIVER_SYMBOL)};
    if (driver.library.handle) {
        return STATUS_OK;
    }
    struct driver found = {0};
    enum status status = library_open(&driver_search, NULL, &found.library, error);
    if (status == STATUS_OK) {
        status = library_bind(&found.library, symbols, sizeof symbols / sizeof *symbols, &found, error);
    }
    if (status == STATUS_OK) {
        driver = found;
    }
    return status;
}

static enum status load_compiler(struct error *error) {
    static const struct library_symbol symbols[] = {COMPILER_FUNCTIONS(GPU_COMPILER_SYMBOL)};
    if (compiler.library.handle) {
        return STATUS_OK;
    }
    struct compiler found = {0};
    bool (*accept)(void *handle) = driver.library.handle ? compiler_suits : NULL;
    enum status status = library_open(&compiler_search, accept, &found.library, error);
    if (status == STATUS_OK) {
        status = library_bind(&found.library, symbols, sizeof symbols / sizeof *symbols, &found, error);
    }
    if (status == STATUS_OK) {
        compiler = found;
    }
    return status;
}
