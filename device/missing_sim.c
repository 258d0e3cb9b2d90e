// Where the simulator was left out of the build, its row among the backends.
#include "device/backends.h"

#ifndef HAVE_SIM

#define GPU_BACKEND "sim"
#define GPU_OPERATIONS sim_backend
#define GPU_HEADER "elfutils' libdwfl.h and libffi's ffi.h"
#include "device/missing_backend.inc.h"

#endif
