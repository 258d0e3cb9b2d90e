// PTX's special registers.
#ifndef SIM_PTX_SPECIAL_H
#define SIM_PTX_SPECIAL_H

#include "sim/ptx/writer.h"

// Writes the C expression of %tid.x and the like; false if the operand names none.
bool ptx_write_special(struct ptx_writer *writer, const struct ptx_operand *operand);

#endif
