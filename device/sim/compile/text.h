// What the simulator changes in a text: in a kernel's source before the host's compiler sees it, and in the assembly
// that the compiler makes of it.
#ifndef DEVICE_SIM_COMPILE_TEXT_H
#define DEVICE_SIM_COMPILE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The kernel file as C11, lines and columns kept: `extern "C"` is blanked out, `extern __shared__ T name[]` becomes a
// name for the launch's dynamic shared memory, of which there are at most dynamic_bytes; a kernel is not `static`; for
// gcc `#pragma unroll` becomes gcc's own. To be freed; NULL where memory ended.
char *sim_source_text(const char *file_name, const char *text, uint32_t dynamic_bytes, bool gcc);

// The compiler's assembly, with three changes. It announces each basic block: where the block ends in a conditional or
// computed jump the announcement becomes a call of sim_branch. A loop of nothing, which has no block to announce, gets
// an announcement. Unused bytes stand around the variables in shared memory, so that an overrun meets none of them.
// Knows the assembly of x86-64 and aarch64. To be freed; NULL where memory ended.
char *sim_assembly_text(const char *assembly);

// Closes a memory stream and returns its text, to be freed; NULL where memory ended.
char *sim_text_finish(FILE *out, char **text);

#endif
