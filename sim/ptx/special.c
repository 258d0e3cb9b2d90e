#include "sim/ptx/special.h"

#define AXES(name, which)                                                                                              \
    {name ".x", "sim_ptx_special(" which ")"}, {name ".y", "sim_ptx_special(" which " + 1)"}, {                        \
        name ".z", "sim_ptx_special(" which " + 2)"                                                                    \
    }
// Of the grid in clusters, or of a block in its cluster: the grid's index divided by the cluster's size, or the rest.
#define CLUSTER_AXES(name, which, division)                                                                            \
    {name ".x", "(sim_ptx_special(" which ") " division " PTX_CLUSTER_X)"},                                            \
        {name ".y", "(sim_ptx_special(" which " + 1) " division " PTX_CLUSTER_Y)"}, {                                  \
        name ".z", "(sim_ptx_special(" which " + 2) " division " PTX_CLUSTER_Z)"                                       \
    }
#define LANE "sim_ptx_special(SIM_PTX_LANEID)"

static const struct {
    const char *name, *expression;
} registers[] = {
    AXES("%tid", "SIM_PTX_TID"),
    AXES("%ntid", "SIM_PTX_NTID"),
    AXES("%ctaid", "SIM_PTX_CTAID"),
    AXES("%nctaid", "SIM_PTX_NCTAID"),
    CLUSTER_AXES("%clusterid", "SIM_PTX_CTAID", "/"),
    CLUSTER_AXES("%nclusterid", "SIM_PTX_NCTAID", "/"),
    CLUSTER_AXES("%cluster_ctaid", "SIM_PTX_CTAID", "%"),
    {"%cluster_nctaid.x", "PTX_CLUSTER_X"},
    {"%cluster_nctaid.y", "PTX_CLUSTER_Y"},
    {"%cluster_nctaid.z", "PTX_CLUSTER_Z"},
    {"%cluster_ctarank", "cluster_rank()"},
    {"%cluster_nctarank", "PTX_CLUSTER_BLOCKS"},
    {"%is_explicit_cluster", "(PTX_CLUSTER_BLOCKS > 1)"},
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
