#include "sim/ptx/special.h"

#define AXES(name, which)                                                                                              \
    {name ".x", "sim_ptx_special(" which ")"}, {name ".y", "sim_ptx_special(" which " + 1)"}, {                        \
        name ".z", "sim_ptx_special(" which " + 2)"                                                                    \
    }
#define CONSTANT_AXES(name, value)                                                                                     \
    {name ".x", value}, {name ".y", value}, {                                                                          \
        name ".z", value                                                                                               \
    }
#define LANE "sim_ptx_special(SIM_PTX_LANEID)"

// A grid's clusters hold one block each.
static const struct {
    const char *name, *expression;
} registers[] = {
    AXES("%tid", "SIM_PTX_TID"),
    AXES("%ntid", "SIM_PTX_NTID"),
    AXES("%ctaid", "SIM_PTX_CTAID"),
    AXES("%nctaid", "SIM_PTX_NCTAID"),
    AXES("%clusterid", "SIM_PTX_CTAID"),
    AXES("%nclusterid", "SIM_PTX_NCTAID"),
    CONSTANT_AXES("%cluster_ctaid", "0u"),
    CONSTANT_AXES("%cluster_nctaid", "1u"),
    {"%cluster_ctarank", "0u"},
    {"%cluster_nctarank", "1u"},
    {"%is_explicit_cluster", "0"},
    {"%laneid", LANE},
    {"%warpid", "sim_ptx_special(SIM_PTX_WARPID)"},
    {"%nwarpid", "32u"},
    {"%smid", "0u"},
    {"%nsmid", "1u"},
    {"%gridid", "UINT64_C(1)"},
    {"%lanemask_eq", "(1u << " LANE ")"},
    {"%lanemask_lt", "((1u << " LANE ") - 1)"},
    {"%lanemask_le", "(~0u >> (31 - " LANE "))"},
    {"%lanemask_gt", "(~1u << " LANE ")"},
    {"%lanemask_ge", "(~0u << " LANE ")"},
    {"%clock", "sim_ptx_cycles()"},
    {"%clock_hi", "(sim_ptx_cycles() >> 32)"},
    {"%clock64", "sim_ptx_cycles()"},
    {"%globaltimer", "sim_ptx_nanoseconds()"},
    {"%globaltimer_lo", "sim_ptx_nanoseconds()"},
    {"%globaltimer_hi", "(sim_ptx_nanoseconds() >> 32)"},
    {"%dynamic_smem_size", "sim_ptx_special(SIM_PTX_DYNAMIC_SHARED)"},
    {"%total_smem_size", "(sim_ptx_special(SIM_PTX_DYNAMIC_SHARED) + PTX_STATIC_SHARED_BYTES)"},
    {"%reserved_smem_offset_begin", "0u"},
    {"%reserved_smem_offset_end", "0u"},
    {"WARP_SZ", "32u"},
};

const char *ptx_special(struct ptx_text name) {
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (ptx_text_is(name, registers[i].name)) {
            return registers[i].expression;
        }
    }
    return NULL;
}
