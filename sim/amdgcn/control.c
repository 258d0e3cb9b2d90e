// Branches, barriers, waits, clocks, and moves between lanes and scalar registers.
// CDNA3 and RDNA3: SOPP, SOP1, SOPK; VOP1 (v_readfirstlane_b32); VOP3 (v_readlane_b32, v_writelane_b32).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/amdgcn/instructions.h"
#include "sim/amdgcn/writer.h"
#include "util/text.h"

// ---- Branches ----

static const char branches[] = "s_branch|s_cbranch_scc0|s_cbranch_scc1|s_cbranch_vccz|s_cbranch_vccnz|s_cbranch_execz|"
                               "s_cbranch_execnz";

static void write_branch(struct gcn_writer *writer) {
    static const char *const conditions[] = {
        NULL, "!scc", "scc", "VCC_MASK == 0", "VCC_MASK != 0", "EXEC_MASK == 0", "EXEC_MASK != 0"};
    const char *condition = conditions[list_place(branches, '|', writer->base)];
    const struct gcn_operand *label = gcn_operand(writer, 0, GCN_WORDS);
    const size_t target = gcn_statement_find(writer->file, GCN_LABEL, label->words, writer->first, writer->end);
    if (target == writer->end) {
        gcn_refuse(writer, "no such label: give the whole file");
        return;
    }
    if (condition) {
        gcn_write(writer, "if (%s) ", condition);
    }
    if (target <= writer->index) {
        gcn_write(writer, "{ JUMP_BACK(SITE(%u)); goto L%lu; }\n", gcn_site(writer), target);
    } else {
        gcn_write(writer, "goto L%lu;\n", target);
    }
    gcn_segment_begin(writer);
}

// A function's address is its label's number among the statements, and one to return to is the call's.
static void write_call(struct gcn_writer *writer) {
    const struct gcn_operand *back = gcn_operand(writer, 0, GCN_S), *to = gcn_operand(writer, 1, GCN_S);
    writer->jumps = true;
    writer->calls = memory_room(writer->calls, writer->call_count, sizeof *writer->calls);
    writer->calls[writer->call_count++] = writer->index;
    gcn_write(writer, "place = S64(%u); S64(%u) = %u; goto find;\nL%u:;\n", to->first, back->first, writer->index,
              writer->index);
    gcn_segment_begin(writer);
}

static void write_return(struct gcn_writer *writer) {
    writer->jumps = true;
    gcn_write(writer, "place = S64(%u); goto find;\n", gcn_operand(writer, 0, GCN_S)->first);
    gcn_segment_begin(writer);
}

// ---- Waits ----

// The count in "vmcnt(0) & lgkmcnt(1)"; `otherwise` if it is not there.
static uint32_t counter_in(const struct gcn_operands *operands, const char *name, uint32_t otherwise) {
    const size_t length = strlen(name);
    for (uint32_t i = 0; i < operands->count + operands->modifier_count; i++) {
        const char *words =
            i < operands->count ? operands->operand[i].words : operands->modifier[i - operands->count].name;
        if (words && !strncmp(words, name, length) && words[length] == '(') {
            return (uint32_t)strtoul(words + length + 1, NULL, 0);
        }
    }
    return otherwise;
}

static void write_wait(struct gcn_writer *writer) {
    enum {
        ANY = 0xffff
    };
    const struct gcn_operand *first = writer->operands.count ? &writer->operands.operand[0] : NULL;
    const bool number = first && (first->kind == GCN_NUMBER || first->kind == GCN_LITERAL);
    const uint32_t value = number ? (uint32_t)first->number : ANY;
    uint32_t vector = ANY, shared = ANY;
    if (!strcmp(writer->base, "s_waitcnt")) {
        vector = number ? (value & 15) | (value >> 10 & 48) : counter_in(&writer->operands, "vmcnt", ANY);
        shared = number ? value >> 8 & 15 : counter_in(&writer->operands, "lgkmcnt", ANY);
    } else if (!strcmp(writer->base, "s_wait_loadcnt")) {
        vector = value;
    } else if (!strcmp(writer->base, "s_wait_dscnt")) {
        shared = value;
    } else if (!strcmp(writer->base, "s_wait_loadcnt_dscnt")) {
        vector = value >> 8 & 63;
        shared = value & 63;
    } else if (!strcmp(writer->base, "s_wait_storecnt_dscnt")) {
        shared = value & 63;
    }
    if (vector != ANY || shared != ANY) {
        gcn_write(writer, "sim_wave_wait(&w->hooked, %u, %u);\n", vector, shared);
    }
}

// ---- Clocks and registers of the hardware ----

static void write_clock(struct gcn_writer *writer) {
    const bool cycles = !strcmp(writer->base, "s_memtime"), message = !strcmp(writer->base, "s_sendmsg_rtn_b64");
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_S);
    const struct gcn_operand *which = message ? gcn_operand(writer, 1, GCN_NONE) : NULL;
    if (message && (!which->words || !strstr(which->words, "MSG_RTN_GET_REALTIME"))) {
        gcn_refuse(writer, "only sendmsg(MSG_RTN_GET_REALTIME) is supported: leave the message out");
    }
    gcn_write(writer, "S64(%u) = sim_wave_%s(&w->hooked);\n", result->first, cycles ? "cycles" : "nanoseconds");
}

static void write_hardware_register(struct gcn_writer *writer) {
    static const struct {
        const char *name, *value;
    } rows[] = {{"HW_REG_SHADER_CYCLES_LO", "(uint32_t)sim_wave_cycles(&w->hooked)"},
                {"HW_REG_SHADER_CYCLES_HI", "(uint32_t)(sim_wave_cycles(&w->hooked) >> 32)"},
                {"HW_REG_SHADER_CYCLES", "(uint32_t)sim_wave_cycles(&w->hooked) & 0xfffff"},
                {"HW_REG_SH_MEM_BASES, 16", "(uint32_t)(SHARED_WINDOW >> 48)"},
                {"HW_REG_SH_MEM_BASES, 0", "(uint32_t)(PRIVATE_WINDOW >> 48)"}};
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_S), *which = gcn_operand(writer, 1, GCN_WORDS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strstr(which->words, rows[i].name)) {
            gcn_write(writer, "S(%u) = %s;\n", result->first, rows[i].value);
            return;
        }
    }
    gcn_refuse(writer, "this register of the hardware is not simulated: leave it out");
}

// s_setreg changes how numbers are rounded. Only the treatment of subnormals may change, which are kept here. On gfx10
// it also says where private memory is.
static void write_mode(struct gcn_writer *writer) {
    const struct gcn_operand *which = gcn_operand(writer, 0, GCN_WORDS);
    if (!strstr(which->words, "HW_REG_MODE, 4") && !strstr(which->words, "HW_REG_FLAT_SCR_")) {
        gcn_refuse(writer, "this register of the hardware is not simulated: leave it out");
    }
}

// What gfx11 does behind a trap.
static void write_doorbell(struct gcn_writer *writer) {
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_S), *which = gcn_operand(writer, 1, GCN_WORDS);
    if (!strstr(which->words, "MSG_RTN_GET_DOORBELL")) {
        gcn_refuse(writer, "only sendmsg(MSG_RTN_GET_DOORBELL) is supported: leave the message out");
    }
    gcn_write(writer, "S(%u) = 0;\n", result->first);
}

static void write_program_counter(struct gcn_writer *writer) {
    // Symbols are relative to it (write_symbol of writer.c).
    gcn_write(writer, "S64(%u) = 0;\n", gcn_operand(writer, 0, GCN_S)->first);
}

// ---- Lanes ----

static void write_lane_move(struct gcn_writer *writer) {
    const bool writes = !strcmp(writer->base, "v_writelane_b32"), first = !strcmp(writer->base, "v_readfirstlane_b32");
    const struct gcn_operand *result = gcn_operand(writer, 0, writes ? GCN_V : GCN_S);
    const struct gcn_operand *value = gcn_operand(writer, 1, GCN_NONE);
    const struct gcn_operand *lane = first ? NULL : gcn_operand(writer, 2, GCN_NONE);
    if (writes) {
        gcn_write(writer, "w->v[ROW(%u)][($u32) %% LANES] = $u32;\n", result->first, lane, value);
    } else if (first) {
        gcn_write(writer, "S(%u) = $rows0[(first_lane(w)) %% LANES];\n", result->first, value);
    } else {
        gcn_write(writer, "S(%u) = $rows0[($u32) %% LANES];\n", result->first, value, lane);
    }
    if (!writes && (result->first == 126 || result->first == 127)) {
        gcn_write_exec_change(writer);
    }
}

// RDNA3 VOP3, V_PERMLANE16_B32 and V_PERMLANEX16_B32: OP_SEL has FI and BOUND_CTRL.
static void write_row_permutation(struct gcn_writer *writer) {
    const struct gcn_operands *all = &writer->operands;
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_V), *value = gcn_operand(writer, 1, GCN_V);
    const struct gcn_operand *low = gcn_operand(writer, 2, GCN_NONE), *high = gcn_operand(writer, 3, GCN_NONE);
    gcn_write(writer, "permute_rows(w, $rows0, $rows0, $u32 | (uint64_t)$u32 << 32, %d, %d, %d);\n", result, value, low,
              high, strstr(writer->base, "permlanex") != NULL, gcn_modifier_element(all, "op_sel", 0, 0) != 0,
              gcn_modifier_element(all, "op_sel", 1, 0) != 0);
}

// ---- Registers whose number is in M0 ----

// An array in registers: RDNA3 VOP1 and CDNA3 SOP1, V_MOVRELS_B32 and V_MOVRELD_B32, S_MOVRELS_B32 and S_MOVRELD_B32.
static void write_relative_move(struct gcn_writer *writer, bool from, bool to) {
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_V);
    const struct gcn_operand *value = gcn_operand(writer, 1, from ? GCN_V : GCN_NONE);
    const uint32_t site = gcn_site(writer);
    gcn_write(writer, to ? "set_active(w, relative_row(w, ROW(%u), SITE(%u)), " : "set_active(w, w->v[ROW(%u)], ",
              result->first, site);
    if (from) {
        gcn_write(writer, "relative_row(w, ROW(%u), SITE(%u)));\n", value->first, site);
    } else {
        gcn_write(writer, "$rows0);\n", value);
    }
}

static void write_movrel(struct gcn_writer *writer) {
    write_relative_move(writer, !strcmp(writer->base, "v_movrels_b32"), !strcmp(writer->base, "v_movreld_b32"));
}

static void write_scalar_movrel(struct gcn_writer *writer) {
    const bool from = strstr(writer->base, "movrels") != NULL, wide = strstr(writer->base, "b64") != NULL;
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_S);
    const struct gcn_operand *value = gcn_operand(writer, 1, from ? GCN_S : GCN_NONE);
    const char *name = wide ? "S64" : "S";
    const uint32_t site = gcn_site(writer);
    if (from) {
        gcn_write(writer, "%s(%u) = %s(relative_scalar(w, %u, SITE(%u)));\n", name, result->first, name, value->first,
                  site);
    } else {
        gcn_write(writer, "%s(relative_scalar(w, %u, SITE(%u))) = $T;\n", name, result->first, site, value,
                  wide ? "u64" : "u32");
    }
}

// On gfx9 a mode says which operands of the v_mov_b32 behind it count from M0 (VEGA20 and CDNA3 SOPC,
// S_SET_GPR_IDX_ON).
static void write_index_mode(struct gcn_writer *writer) {
    const bool on = !strcmp(writer->base, "s_set_gpr_idx_on");
    const char *mode = on ? gcn_operand(writer, 1, GCN_WORDS)->words : "";
    writer->index_source = strstr(mode, "SRC0") != NULL;
    writer->index_result = strstr(mode, "DST") != NULL;
    if (on) {
        gcn_write(writer, "S(M0) = $u32 & 255;\n", gcn_operand(writer, 0, GCN_NONE));
    }
    if (strstr(mode, "SRC1") || strstr(mode, "SRC2") || (on && !writer->index_source && !writer->index_result)) {
        gcn_refuse(writer, "only gpr_idx(SRC0) and gpr_idx(DST) are supported: give what clang -S makes");
    }
}

bool gcn_write_indexed(struct gcn_writer *writer) {
    if ((!writer->index_source && !writer->index_result) || gcn_is_scalar(writer->base)) {
        return false;
    }
    if (strcmp(writer->base, "v_mov_b32") != 0) {
        gcn_refuse(writer, "only v_mov_b32 is supported behind s_set_gpr_idx_on: give what clang -S makes");
    }
    write_relative_move(writer, writer->index_source, writer->index_result);
    gcn_segment_add(writer, COUNT_VECTOR);
    return true;
}

// ---- Barriers and ends ----

static void write_barrier(struct gcn_writer *writer) {
    gcn_write(writer, "sim_wave_barrier(&w->hooked, SITE(%u));\n", gcn_site(writer));
}

static void write_end(struct gcn_writer *writer) {
    gcn_write(writer, "return;\n");
    gcn_segment_begin(writer);
}

static void write_trap(struct gcn_writer *writer) {
    gcn_write(writer, "sim_wave_trap(\"the kernel traps: see why\", first_lane(w), SITE(%u));\n", gcn_site(writer));
}

bool gcn_write_control(struct gcn_writer *writer) {
    static const struct {
        const char *names;
        void (*write)(struct gcn_writer *writer);
        enum sim_program_count count; // as what it counts
    } rows[] = {{branches, write_branch, COUNT_BRANCH},
                {"s_waitcnt|s_wait_loadcnt|s_wait_dscnt|s_wait_loadcnt_dscnt|s_wait_storecnt_dscnt|s_wait_kmcnt",
                 write_wait, COUNT_SCALAR},
                {"s_memtime|s_memrealtime|s_sendmsg_rtn_b64", write_clock, COUNT_SCALAR_MEMORY},
                {"s_getreg_b32", write_hardware_register, COUNT_SCALAR},
                {"s_setreg_b32|s_setreg_imm32_b32", write_mode, COUNT_SCALAR},
                {"s_sendmsg_rtn_b32", write_doorbell, COUNT_SCALAR_MEMORY},
                {"s_getpc_b64", write_program_counter, COUNT_SCALAR},
                {"v_readlane_b32|v_readfirstlane_b32|v_writelane_b32", write_lane_move, COUNT_VECTOR},
                {"v_permlane16_b32|v_permlanex16_b32", write_row_permutation, COUNT_VECTOR},
                {"v_movrels_b32|v_movreld_b32", write_movrel, COUNT_VECTOR},
                {"s_movrels_b32|s_movrels_b64|s_movreld_b32|s_movreld_b64", write_scalar_movrel, COUNT_SCALAR},
                {"s_set_gpr_idx_on|s_set_gpr_idx_off", write_index_mode, COUNT_SCALAR},
                {"s_barrier|s_barrier_wait", write_barrier, COUNT_SCALAR},
                {"s_swappc_b64", write_call, COUNT_BRANCH},
                {"s_setpc_b64", write_return, COUNT_BRANCH},
                {"s_endpgm", write_end, COUNT_SCALAR},
                {"s_trap", write_trap, COUNT_SCALAR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (list_place(rows[i].names, '|', writer->base) >= 0) {
            gcn_segment_add(writer, rows[i].count);
            rows[i].write(writer);
            return true;
        }
    }
    const bool idle = gcn_is_idle(writer->base);
    if (idle) {
        gcn_segment_add(writer, COUNT_SCALAR);
    }
    return idle;
}
