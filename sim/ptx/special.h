// PTX's special registers.
#ifndef SIM_PTX_SPECIAL_H
#define SIM_PTX_SPECIAL_H

#include "sim/ptx/parse/tree.h"

// The C expression of %tid.x and the like; NULL if the name is none of these.
const char *ptx_special(struct ptx_text name);

#endif
