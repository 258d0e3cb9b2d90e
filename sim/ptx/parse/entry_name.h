// Names of kernels and of their variables: C++'s, and how compilers write them in PTX.
#ifndef SIM_PTX_PARSE_ENTRY_NAME_H
#define SIM_PTX_PARSE_ENTRY_NAME_H

#include "sim/ptx/parse/token.h"

// Whether an entry of this name is what C++ calls gemm, space::gemm or gemm<float, 32>. Arguments that are left out,
// and spaces, may be any; a pointer or a template as an argument fits none.
bool ptx_entry_is_called(struct ptx_text entry, const char *name);

// The last name of `_ZN5space6matmulEPf`; any other name stays as it is.
struct ptx_text ptx_entry_name(const char *entry);

// What C++ calls a variable of a function, `tile` of `_ZZ9transposeE4tile` and of `_ZZ9transposeE4tile_0`; any other
// name stays as it is.
struct ptx_text ptx_variable_name(struct ptx_text symbol);

#endif
