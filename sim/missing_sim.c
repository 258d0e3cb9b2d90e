// Replaces the simulator's functions that lanes calls, in a build without the simulator. No simulated device opens
// there.
#include "sim/compile/disassemble.h"
#include "sim/lines.h"
#include "sim/process.h"
#include "sim/records.h"
#include "sim/requests.h"
#include "sim/sim.h"

static enum status left_out(struct error *error) {
    return error_set(error, STATUS_NO_DEVICE, "sim was left out when this program was built");
}

const char *sim_kernel_name(const struct kernel *kernel) {
    (void)kernel;
    return "";
}

const char *sim_kernel_note(const struct kernel *kernel) {
    (void)kernel;
    return NULL;
}

const char *sim_parameter_name(const struct kernel *kernel, size_t i) {
    (void)kernel, (void)i;
    return NULL;
}

const char *sim_argument_name(const struct kernel *kernel, const struct launch *launch, size_t i) {
    (void)kernel, (void)launch, (void)i;
    return NULL;
}

void sim_set_options(struct device *device, const struct sim_options *options) {
    (void)device, (void)options;
}

enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error) {
    (void)device, (void)lines, (void)count;
    return left_out(error);
}

enum status sim_records(struct device *device, struct sim_recorded **records, size_t *count, struct error *error) {
    (void)device, (void)records, (void)count;
    return left_out(error);
}

void sim_set_remap(struct device *device, const struct sim_remap *remap) {
    (void)device, (void)remap;
}

void sim_prefer_own_lines(struct device *device) {
    (void)device;
}

uint64_t sim_used_bytes(const struct device *device) {
    (void)device;
    return 0;
}

enum status sim_load(struct kernel *kernel, const char *file_name, const char *entry, struct error *error) {
    (void)kernel, (void)file_name, (void)entry;
    return left_out(error);
}

void sim_confine_compilers(void) {}

void sim_confine_kernels(uint64_t more_bytes, double limit_s) {
    (void)more_bytes, (void)limit_s;
}

bool sim_is_code_object(const char *path) {
    (void)path;
    return false;
}

enum status sim_disassemble(const char *path, char **text, struct error *error) {
    (void)path, (void)text;
    return left_out(error);
}
