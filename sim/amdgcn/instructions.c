#include "sim/amdgcn/instructions.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

// The sources are "AMD Instinct MI200" (CDNA2), "AMD Instinct MI300" (CDNA3), "Vega 7nm" (VEGA20), "RDNA 2", "RDNA3"
// and "RDNA4" Instruction Set Architecture, Reference Guides; the words after it are the title of the section.

// clang-format off
#define VECTOR_MIDDLES(type) \
    {"v_min3_" type, type ":" type "," type "," type, "d = MIN(MIN(a, b), c)", "CDNA3 VOP3A"}, \
    {"v_max3_" type, type ":" type "," type "," type, "d = MAX(MAX(a, b), c)", "CDNA3 VOP3A"}, \
    {"v_med3_" type, type ":" type "," type "," type, "d = MEDIAN(a, b, c)", "CDNA3 VOP3A"},
#define VECTOR_LIMITS3(type) \
    VECTOR_MIDDLES(type) \
    {"v_maxmin_" type, type ":" type "," type "," type, "d = MIN(MAX(a, b), c)", "RDNA3 VOP3"}, \
    {"v_minmax_" type, type ":" type "," type "," type, "d = MAX(MIN(a, b), c)", "RDNA3 VOP3"},
// Of half, which is computed as double, of float and of double; C's function of float ends in f.
#define VECTOR_FUNCTION(name, function) \
    {"v_" name "_f16", "f16:f16", "d = " function "(a)", "CDNA3 VOP1"}, \
    {"v_" name "_f32", "f32:f32", "d = " function "f(a)", "CDNA3 VOP1"}, \
    {"v_" name "_f64", "f64:f64", "d = " function "(a)", "CDNA3 VOP1"},

static const struct gcn_instruction table[] = {
    // ---- Scalar, two sources ----
    {"s_add_u32|s_add_co_u32", "u32:u32,u32", "d = a + b; scc = d < a", "CDNA3 SOP2, RDNA4 SOP2"},
    {"s_sub_u32|s_sub_co_u32", "u32:u32,u32", "d = a - b; scc = b > a", "CDNA3 SOP2, RDNA4 SOP2"},
    {"s_add_i32|s_add_co_i32", "i32:i32,i32", "scc = __builtin_add_overflow(a, b, &d)", "CDNA3 SOP2, RDNA4 SOP2"},
    {"s_sub_i32|s_sub_co_i32", "i32:i32,i32", "scc = __builtin_sub_overflow(a, b, &d)", "CDNA3 SOP2, RDNA4 SOP2"},
    {"s_addc_u32|s_add_co_ci_u32", "u32:u32,u32", "const uint64_t sum = (uint64_t)a + b + scc; d = (uint32_t)sum; scc = sum >> 32 != 0", "CDNA3 SOP2, RDNA4 SOP2"},
    {"s_subb_u32|s_sub_co_ci_u32", "u32:u32,u32", "const uint64_t sum = (uint64_t)b + scc; d = (uint32_t)(a - sum); scc = sum > a", "CDNA3 SOP2, RDNA4 SOP2"},
    {"s_add_u64|s_add_nc_u64", "u64:u64,u64", "d = a + b", "RDNA4 SOP2"},
    {"s_sub_nc_u64", "u64:u64,u64", "d = a - b", "RDNA4 SOP2"},
    {"s_mul_u64", "u64:u64,u64", "d = a * b", "RDNA4 SOP2"},
    {"s_min_i32", "i32:i32,i32", "scc = a < b; d = scc ? a : b", "CDNA3 SOP2"},
    {"s_min_u32", "u32:u32,u32", "scc = a < b; d = scc ? a : b", "CDNA3 SOP2"},
    {"s_max_i32", "i32:i32,i32", "scc = a > b; d = scc ? a : b", "CDNA3 SOP2"},
    {"s_max_u32", "u32:u32,u32", "scc = a > b; d = scc ? a : b", "CDNA3 SOP2"},
    {"s_cselect_b32|s_cselect_b64", "u#:u#,u#", "d = scc ? a : b", "CDNA3 SOP2"},
    {"s_and_b32|s_and_b64", "u#:u#,u#", "d = a & b; scc = d != 0", "CDNA3 SOP2"},
    {"s_or_b32|s_or_b64", "u#:u#,u#", "d = a | b; scc = d != 0", "CDNA3 SOP2"},
    {"s_xor_b32|s_xor_b64", "u#:u#,u#", "d = a ^ b; scc = d != 0", "CDNA3 SOP2"},
    {"s_andn2_b32|s_andn2_b64|s_and_not1_b32|s_and_not1_b64", "u#:u#,u#", "d = a & ~b; scc = d != 0", "CDNA3 SOP2, RDNA3 SOP2"},
    {"s_orn2_b32|s_orn2_b64|s_or_not1_b32|s_or_not1_b64", "u#:u#,u#", "d = a | ~b; scc = d != 0", "CDNA3 SOP2, RDNA3 SOP2"},
    {"s_nand_b32|s_nand_b64", "u#:u#,u#", "d = ~(a & b); scc = d != 0", "CDNA3 SOP2"},
    {"s_nor_b32|s_nor_b64", "u#:u#,u#", "d = ~(a | b); scc = d != 0", "CDNA3 SOP2"},
    {"s_xnor_b32|s_xnor_b64", "u#:u#,u#", "d = ~(a ^ b); scc = d != 0", "CDNA3 SOP2"},
    {"s_lshl_b32|s_lshl_b64", "u#:u#,u32", "d = a << (b & (BITS(a) - 1)); scc = d != 0", "CDNA3 SOP2"},
    {"s_lshr_b32|s_lshr_b64", "u#:u#,u32", "d = a >> (b & (BITS(a) - 1)); scc = d != 0", "CDNA3 SOP2"},
    {"s_ashr_i32|s_ashr_i64", "i#:i#,u32", "d = a >> (b & (BITS(a) - 1)); scc = d != 0", "CDNA3 SOP2"},
    {"s_bfm_b64", "u64:u32,u32", "d = ((UINT64_C(1) << (a & 63)) - 1) << (b & 63)", "CDNA3 SOP2"},
    {"s_mul_i32", "u32:u32,u32", "d = a * b", "CDNA3 SOP2"},
    {"s_bfe_u32", "u32:u32,u32", "d = bits32(a, b, b >> 16 & 127); scc = d != 0", "CDNA3 SOP2"},
    {"s_bfe_i32", "i32:u32,u32", "d = signed_bits32(a, b, b >> 16 & 127); scc = d != 0", "CDNA3 SOP2"},
    {"s_bfe_u64", "u64:u64,u32", "d = bits64(a, b, b >> 16 & 127); scc = d != 0", "CDNA3 SOP2"},
    {"s_bfe_i64", "i64:i64,u32", "d = signed_bits64(a, b, b >> 16 & 127); scc = d != 0", "CDNA3 SOP2"},
    {"s_absdiff_i32", "i32:i32,i32", "d = a > b ? a - b : b - a; scc = d != 0", "CDNA3 SOP2"},
    {"s_lshl1_add_u32", "u32:u32,u32", "const uint64_t sum = ((uint64_t)a << 1) + b; d = (uint32_t)sum; scc = sum >> 32 != 0", "CDNA3 SOP2"},
    {"s_lshl2_add_u32", "u32:u32,u32", "const uint64_t sum = ((uint64_t)a << 2) + b; d = (uint32_t)sum; scc = sum >> 32 != 0", "CDNA3 SOP2"},
    {"s_lshl3_add_u32", "u32:u32,u32", "const uint64_t sum = ((uint64_t)a << 3) + b; d = (uint32_t)sum; scc = sum >> 32 != 0", "CDNA3 SOP2"},
    {"s_lshl4_add_u32", "u32:u32,u32", "const uint64_t sum = ((uint64_t)a << 4) + b; d = (uint32_t)sum; scc = sum >> 32 != 0", "CDNA3 SOP2"},
    {"s_pack_ll_b32_b16", "u32:u32,u32", "d = (a & 0xffff) | b << 16", "CDNA3 SOP2"},
    {"s_pack_lh_b32_b16", "u32:u32,u32", "d = (a & 0xffff) | (b & 0xffff0000)", "CDNA3 SOP2"},
    {"s_pack_hh_b32_b16", "u32:u32,u32", "d = a >> 16 | (b & 0xffff0000)", "CDNA3 SOP2"},

    // ---- Scalar, with a constant of 16 bits ----
    {"s_movk_i32", "i32:i16", "d = a", "CDNA3 SOPK"},
    {"s_cmovk_i32", "+i32:i16", "d = scc ? a : d", "CDNA3 SOPK"},
    {"s_addk_i32|s_addk_co_i32", "+i32:i16", "scc = __builtin_add_overflow(d, a, &d)", "CDNA3 SOPK, RDNA4 SOPK"},
    {"s_mulk_i32", "+i32:i16", "d = d * a", "CDNA3 SOPK"},

    // ---- Scalar, one source ----
    {"s_cmov_b32|s_cmov_b64", "+u#:u#", "d = scc ? a : d", "CDNA3 SOP1"},
    {"s_not_b32|s_not_b64", "u#:u#", "d = ~a; scc = d != 0", "CDNA3 SOP1"},
    {"s_brev_b32", "u32:u32", "d = reversed(a)", "CDNA3 SOP1"},
    {"s_brev_b64", "u64:u64", "d = (uint64_t)reversed((uint32_t)a) << 32 | reversed((uint32_t)(a >> 32))", "CDNA3 SOP1"},
    {"s_bcnt0_i32_b32|s_bcnt0_i32_b64", "u32:u#", "d = BITS(a) - (uint32_t)__builtin_popcountll(a); scc = d != 0", "CDNA3 SOP1"},
    {"s_bcnt1_i32_b32|s_bcnt1_i32_b64", "u32:u#", "d = (uint32_t)__builtin_popcountll(a); scc = d != 0", "CDNA3 SOP1"},
    {"s_ff1_i32_b32|s_ff1_i32_b64|s_ctz_i32_b32|s_ctz_i32_b64", "u32:u#", "d = a ? (uint32_t)__builtin_ctzll(a) : UINT32_MAX", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_flbit_i32_b32|s_flbit_i32_b64|s_clz_i32_u32|s_clz_i32_u64", "u32:u#", "d = a ? (uint32_t)__builtin_clzll(a) - (64 - BITS(a)) : UINT32_MAX", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_sext_i32_i8", "i32:i32", "d = (int8_t)a", "CDNA3 SOP1"},
    {"s_sext_i32_i16", "i32:i32", "d = (int16_t)a", "CDNA3 SOP1"},
    {"s_bitset0_b32", "+u32:u32", "d = d & ~(1u << (a & 31))", "CDNA3 SOP1"},
    {"s_bitset1_b32", "+u32:u32", "d = d | 1u << (a & 31)", "CDNA3 SOP1"},
    {"s_abs_i32", "i32:i32", "d = a < 0 ? -a : a; scc = d != 0", "CDNA3 SOP1"},
    {"s_wqm_b32", "u32:u32", "d = (a | a >> 1 | a >> 2 | a >> 3) & 0x11111111; d = d * 15; scc = d != 0", "CDNA3 SOP1"},
    {"s_wqm_b64", "u64:u64", "d = (a | a >> 1 | a >> 2 | a >> 3) & UINT64_C(0x1111111111111111); d = d * 15; scc = d != 0", "CDNA3 SOP1"},
    {"s_and_saveexec_b32|s_and_saveexec_b64", "u#:u#", "d = EXEC_AS(d); EXEC_AS(d) = a & d; scc = EXEC_AS(d) != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_or_saveexec_b32|s_or_saveexec_b64", "u#:u#", "d = EXEC_AS(d); EXEC_AS(d) = a | d; scc = EXEC_AS(d) != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_xor_saveexec_b32|s_xor_saveexec_b64", "u#:u#", "d = EXEC_AS(d); EXEC_AS(d) = a ^ d; scc = EXEC_AS(d) != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_andn2_saveexec_b32|s_andn2_saveexec_b64|s_and_not1_saveexec_b32|s_and_not1_saveexec_b64", "u#:u#", "d = EXEC_AS(d); EXEC_AS(d) = a & ~d; scc = EXEC_AS(d) != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_andn1_saveexec_b32|s_andn1_saveexec_b64|s_and_not0_saveexec_b32|s_and_not0_saveexec_b64", "u#:u#", "d = EXEC_AS(d); EXEC_AS(d) = ~a & d; scc = EXEC_AS(d) != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_orn2_saveexec_b32|s_orn2_saveexec_b64|s_or_not1_saveexec_b32|s_or_not1_saveexec_b64", "u#:u#", "d = EXEC_AS(d); EXEC_AS(d) = a | ~d; scc = EXEC_AS(d) != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_andn2_wrexec_b32|s_andn2_wrexec_b64|s_and_not1_wrexec_b32|s_and_not1_wrexec_b64", "u#:u#", "EXEC_AS(d) = a & ~EXEC_AS(d); d = EXEC_AS(d); scc = d != 0", "CDNA3 SOP1, RDNA3 SOP1"},
    {"s_andn1_wrexec_b32|s_andn1_wrexec_b64|s_and_not0_wrexec_b32|s_and_not0_wrexec_b64", "u#:u#", "EXEC_AS(d) = ~a & EXEC_AS(d); d = EXEC_AS(d); scc = d != 0", "CDNA3 SOP1, RDNA3 SOP1"},

    // ---- Scalar, bits ----
    {"s_bitcmp0_b32|s_bitcmp0_b64", ":u#,u32", "scc = !(a >> (b & (BITS(a) - 1)) & 1)", "CDNA3 SOPC"},
    {"s_bitcmp1_b32|s_bitcmp1_b64", ":u#,u32", "scc = a >> (b & (BITS(a) - 1)) & 1", "CDNA3 SOPC"},

    // ---- Vector, moves ----
    {"v_mov_b32|v_mov_b64|v_accvgpr_write_b32|v_accvgpr_read_b32|v_accvgpr_mov_b32", "u#:u#", "d = a", "CDNA3 VOP1, CDNA3 VOP3P"},
    {"v_cndmask_b32", "u32:u32,u32,m", "d = c ? b : a", "CDNA3 VOP2"},
    {"v_pk_mov_b32", "pu32:pu32,pu32", "d = part ? b : a", "CDNA3 VOP3P"},

    // ---- Vector, integers of 32 bits ----
    {"v_add_u32|v_add_nc_u32", "u32:u32,u32", "d = a + b", "CDNA3 VOP2, RDNA3 VOP2"},
    {"v_add_i32|v_add_nc_i32", "i32:i32,i32", "d = a + b", "CDNA3 VOP3A, RDNA3 VOP3"},
    {"v_sub_u32|v_sub_nc_u32", "u32:u32,u32", "d = a - b", "CDNA3 VOP2, RDNA3 VOP2"},
    {"v_sub_i32|v_sub_nc_i32", "i32:i32,i32", "d = a - b", "CDNA3 VOP3A, RDNA3 VOP3"},
    {"v_subrev_u32|v_subrev_nc_u32", "u32:u32,u32", "d = b - a", "CDNA3 VOP2, RDNA3 VOP2"},
    {"v_add_co_u32", "u32,m:u32,u32", "d = a + b; e = d < a", "CDNA3 VOP2"},
    {"v_sub_co_u32", "u32,m:u32,u32", "d = a - b; e = b > a", "CDNA3 VOP2"},
    {"v_subrev_co_u32", "u32,m:u32,u32", "d = b - a; e = a > b", "CDNA3 VOP2"},
    {"v_addc_co_u32|v_add_co_ci_u32", "u32,m:u32,u32,m", "d = a + b; e = d < a; d = d + c; e = e | (d < c)", "CDNA3 VOP2, RDNA3 VOP2"},
    {"v_subb_co_u32|v_sub_co_ci_u32", "u32,m:u32,u32,m", "d = a - b - c; e = (b > a) | ((b == a) & (c != 0))", "CDNA3 VOP2, RDNA3 VOP2"},
    {"v_subbrev_co_u32|v_subrev_co_ci_u32", "u32,m:u32,u32,m", "d = b - a - c; e = (a > b) | ((a == b) & (c != 0))", "CDNA3 VOP2, RDNA3 VOP2"},
    {"v_add3_u32", "u32:u32,u32,u32", "d = a + b + c", "CDNA3 VOP3A"},
    {"v_lshl_add_u32", "u32:u32,u32,u32", "d = (a << (b & 31)) + c", "CDNA3 VOP3A"},
    {"v_lshl_add_u64", "u64:u64,u32,u64", "d = (a << (b & 7)) + c", "CDNA3 VOP3A"},
    {"v_add_lshl_u32", "u32:u32,u32,u32", "d = (a + b) << (c & 31)", "CDNA3 VOP3A"},
    {"v_xad_u32", "u32:u32,u32,u32", "d = (a ^ b) + c", "CDNA3 VOP3A"},
    {"v_mul_lo_u32", "u32:u32,u32", "d = a * b", "CDNA3 VOP3A"},
    {"v_mul_hi_u32", "u32:u32,u32", "d = (uint32_t)((uint64_t)a * b >> 32)", "CDNA3 VOP3A"},
    {"v_mul_hi_i32", "i32:i32,i32", "d = (int32_t)((int64_t)a * b >> 32)", "CDNA3 VOP3A"},
    {"v_mul_u32_u24", "u32:u32,u32", "d = (a & 0xffffff) * (b & 0xffffff)", "CDNA3 VOP2"},
    {"v_mul_hi_u32_u24", "u32:u32,u32", "d = (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 32)", "CDNA3 VOP2"},
    {"v_mul_i32_i24", "i32:i32,i32", "d = (a << 8 >> 8) * (b << 8 >> 8)", "CDNA3 VOP2"},
    {"v_mul_hi_i32_i24", "i32:i32,i32", "d = (int32_t)((int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 32)", "CDNA3 VOP2"},
    {"v_mad_u32_u24", "u32:u32,u32,u32", "d = (a & 0xffffff) * (b & 0xffffff) + c", "CDNA3 VOP3A"},
    {"v_mad_i32_i24", "i32:i32,i32,i32", "d = (a << 8 >> 8) * (b << 8 >> 8) + c", "CDNA3 VOP3A"},
    {"v_mad_u64_u32|v_mad_co_u64_u32", "u64,m:u32,u32,u64", "const uint64_t product = (uint64_t)a * b; d = product + c; e = d < c", "CDNA3 VOP3B, RDNA4 VOP3SD"},
    {"v_mad_i64_i32|v_mad_co_i64_i32", "i64,m:i32,i32,i64", "e = __builtin_add_overflow((int64_t)a * b, c, &d)", "CDNA3 VOP3B, RDNA4 VOP3SD"},
    {"v_min_i16|v_min_i32", "i#:i#,i#", "d = MIN(a, b)", "CDNA3 VOP2"},
    {"v_max_i16|v_max_i32", "i#:i#,i#", "d = MAX(a, b)", "CDNA3 VOP2"},
    {"v_min_u16|v_min_u32", "u#:u#,u#", "d = MIN(a, b)", "CDNA3 VOP2"},
    {"v_max_u16|v_max_u32", "u#:u#,u#", "d = MAX(a, b)", "CDNA3 VOP2"},
    VECTOR_LIMITS3("i32")
    VECTOR_LIMITS3("u32")
    {"v_sad_u32", "u32:u32,u32,u32", "d = (a > b ? a - b : b - a) + c", "CDNA3 VOP3A"},

    {"v_dot4_i32_i8", "i32:u32,u32,i32", "d = dot4_i8(a, b) + c", "CDNA3 VOP3P"},
    {"v_dot4_i32_iu8", "i32:u32,u32,i32", "d = dot4_iu8(a, b, signs) + c", "RDNA3 VOP3P"},
    {"v_dot4c_i32_i8", "+i32:u32,u32", "d = dot4_i8(a, b) + d", "CDNA3 VOP2"},
    {"v_dot4_u32_u8", "u32:u32,u32,u32", "d = dot4_u8(a, b) + c", "CDNA3 VOP3P"},

    // ---- Vector, bits ----
    {"v_and_b16|v_and_b32", "u#:u#,u#", "d = a & b", "CDNA3 VOP2, RDNA3 VOP3"},
    {"v_or_b16|v_or_b32", "u#:u#,u#", "d = a | b", "CDNA3 VOP2, RDNA3 VOP3"},
    {"v_xor_b16|v_xor_b32", "u#:u#,u#", "d = a ^ b", "CDNA3 VOP2, RDNA3 VOP3"},
    {"v_xnor_b32", "u32:u32,u32", "d = ~(a ^ b)", "CDNA3 VOP2"},
    {"v_not_b32", "u32:u32", "d = ~a", "CDNA3 VOP1"},
    {"v_or3_b32", "u32:u32,u32,u32", "d = a | b | c", "CDNA3 VOP3A"},
    {"v_xor3_b32", "u32:u32,u32,u32", "d = a ^ b ^ c", "RDNA3 VOP3"},
    {"v_and_or_b32", "u32:u32,u32,u32", "d = (a & b) | c", "CDNA3 VOP3A"},
    {"v_lshl_or_b32", "u32:u32,u32,u32", "d = a << (b & 31) | c", "CDNA3 VOP3A"},
    {"v_bfi_b32", "u32:u32,u32,u32", "d = (a & b) | (~a & c)", "CDNA3 VOP3A"},
    {"v_bfe_u32", "u32:u32,u32,u32", "d = a >> (b & 31) & ((1u << (c & 31)) - 1)", "CDNA3 VOP3A"},
    {"v_bfe_i32", "i32:u32,u32,u32", "d = signed_bits32(a, b, c & 31)", "CDNA3 VOP3A"},
    {"v_bfm_b32", "u32:u32,u32", "d = ((1u << (a & 31)) - 1) << (b & 31)", "CDNA3 VOP3A"},
    {"v_bfrev_b32", "u32:u32", "d = reversed(a)", "CDNA3 VOP1"},
    {"v_ffbh_u32|v_clz_i32_u32", "u32:u32", "d = a ? (uint32_t)__builtin_clz(a) : UINT32_MAX", "CDNA3 VOP1, RDNA3 VOP1"},
    {"v_ffbl_b32|v_ctz_i32_b32", "u32:u32", "d = a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX", "CDNA3 VOP1, RDNA3 VOP1"},
    {"v_ffbh_i32|v_cls_i32", "u32:i32", "d = a == 0 || a == -1 ? UINT32_MAX : (uint32_t)__builtin_clz((uint32_t)(a < 0 ? ~a : a))", "CDNA3 VOP1, RDNA3 VOP1"},
    {"v_bcnt_u32_b32", "u32:u32,u32", "d = (uint32_t)__builtin_popcount(a) + b", "CDNA3 VOP3A"},
    {"v_lshlrev_b32|v_lshlrev_b64", "u#:u32,u#", "d = b << (a & (BITS(b) - 1))", "CDNA3 VOP2, CDNA3 VOP3A"},
    {"v_lshrrev_b32|v_lshrrev_b64", "u#:u32,u#", "d = b >> (a & (BITS(b) - 1))", "CDNA3 VOP2, CDNA3 VOP3A"},
    {"v_ashrrev_i32|v_ashrrev_i64", "i#:u32,i#", "d = b >> (a & (BITS(b) - 1))", "CDNA3 VOP2, CDNA3 VOP3A"},
    {"v_alignbit_b32", "u32:u32,u32,u32", "d = (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31))", "CDNA3 VOP3A"},
    {"v_alignbyte_b32", "u32:u32,u32,u32", "d = (uint32_t)(((uint64_t)a << 32 | b) >> 8 * (c & 3))", "CDNA3 VOP3A"},
    {"v_perm_b32", "u32:u32,u32,u32", "d = permuted_bytes(a, b, c)", "CDNA3 VOP3A"},
    {"v_mbcnt_lo_u32_b32", "u32:u32,u32", "d = b + (uint32_t)__builtin_popcount(l < 32 ? a & ((1u << l) - 1) : a)", "CDNA3 VOP3A"},
    {"v_mbcnt_hi_u32_b32", "u32:u32,u32", "d = b + (uint32_t)__builtin_popcount(l < 32 ? 0 : a & ((1u << (l - 32)) - 1))", "CDNA3 VOP3A"},

    // ---- Vector, 16 bits ----
    {"v_add_u16|v_add_nc_u16", "u16:u16,u16", "d = a + b", "CDNA3 VOP2, RDNA3 VOP3"},
    {"v_sub_u16|v_sub_nc_u16", "u16:u16,u16", "d = a - b", "CDNA3 VOP2, RDNA3 VOP3"},
    {"v_subrev_u16", "u16:u16,u16", "d = b - a", "CDNA3 VOP2"},
    {"v_add_i16|v_add_nc_i16", "i16:i16,i16", "d = a + b", "CDNA3 VOP3A, RDNA3 VOP3"},
    {"v_sub_i16|v_sub_nc_i16", "i16:i16,i16", "d = a - b", "CDNA3 VOP3A, RDNA3 VOP3"},
    {"v_mul_lo_u16", "u16:u16,u16", "d = (uint16_t)((uint32_t)a * b)", "CDNA3 VOP2"},
    {"v_mad_u16|v_mad_legacy_u16", "u16:u16,u16,u16", "d = (uint16_t)((uint32_t)a * b + c)", "CDNA3 VOP3A, VEGA20 VOP3A"},
    {"v_mad_i16", "i16:i16,i16,i16", "d = (int16_t)(a * b + c)", "CDNA3 VOP3A"},
    {"v_mad_u32_u16", "u32:u16,u16,u32", "d = (uint32_t)a * b + c", "CDNA3 VOP3A"},
    {"v_mad_i32_i16", "i32:i16,i16,i32", "d = a * b + c", "CDNA3 VOP3A"},
    VECTOR_MIDDLES("i16")
    VECTOR_MIDDLES("u16")
    {"v_lshlrev_b16", "u16:u16,u16", "d = (uint16_t)((uint32_t)b << (a & 15))", "CDNA3 VOP2"},
    {"v_lshrrev_b16", "u16:u16,u16", "d = (uint16_t)(b >> (a & 15))", "CDNA3 VOP2"},
    {"v_ashrrev_i16", "i16:u16,i16", "d = (int16_t)(b >> (a & 15))", "CDNA3 VOP2"},
    {"v_pk_add_u16", "pu16:pu16,pu16", "d = a + b", "CDNA3 VOP3P"},
    {"v_pk_add_i16", "pi16:pi16,pi16", "d = a + b", "CDNA3 VOP3P"},
    {"v_pk_sub_u16", "pu16:pu16,pu16", "d = a - b", "CDNA3 VOP3P"},
    {"v_pk_sub_i16", "pi16:pi16,pi16", "d = a - b", "CDNA3 VOP3P"},
    {"v_pk_mul_lo_u16", "pu16:pu16,pu16", "d = (uint16_t)((uint32_t)a * b)", "CDNA3 VOP3P"},
    {"v_pk_mad_u16|v_pk_mad_i16", "pu16:pu16,pu16,pu16", "d = (uint16_t)((uint32_t)a * b + c)", "CDNA3 VOP3P"},
    {"v_pk_min_u16", "pu16:pu16,pu16", "d = MIN(a, b)", "CDNA3 VOP3P"},
    {"v_pk_max_u16", "pu16:pu16,pu16", "d = MAX(a, b)", "CDNA3 VOP3P"},
    {"v_pk_min_i16", "pi16:pi16,pi16", "d = MIN(a, b)", "CDNA3 VOP3P"},
    {"v_pk_max_i16", "pi16:pi16,pi16", "d = MAX(a, b)", "CDNA3 VOP3P"},
    {"v_pk_lshlrev_b16", "pu16:pu16,pu16", "d = (uint16_t)((uint32_t)b << (a & 15))", "CDNA3 VOP3P"},
    {"v_pk_lshrrev_b16", "pu16:pu16,pu16", "d = (uint16_t)(b >> (a & 15))", "CDNA3 VOP3P"},
    {"v_pk_ashrrev_i16", "pi16:pu16,pi16", "d = (int16_t)(b >> (a & 15))", "CDNA3 VOP3P"},

    // ---- Vector, float ----
    {"v_add_f16|v_add_f32|v_add_f64", "f#:f#,f#", "d = a + b", "CDNA3 VOP2, CDNA3 VOP3A"},
    {"v_sub_f16|v_sub_f32", "f#:f#,f#", "d = a - b", "CDNA3 VOP2"},
    {"v_subrev_f16|v_subrev_f32", "f#:f#,f#", "d = b - a", "CDNA3 VOP2"},
    {"v_mul_f16|v_mul_f32|v_mul_f64", "f#:f#,f#", "d = a * b", "CDNA3 VOP2, CDNA3 VOP3A"},
    {"v_mul_legacy_f32|v_mul_dx9_zero_f32", "f32:f32,f32", "d = a == 0 || b == 0 ? 0 : a * b", "VEGA20 VOP2, RDNA3 VOP2"},
    {"v_fma_f32|v_fma_f64|v_fmamk_f32|v_fmaak_f32", "f#:f#,f#,f#", "d = fused(a, b, c)", "CDNA3 VOP3A, RDNA3 VOP2"},
    {"v_fmac_f32|v_fmac_f64", "+f#:f#,f#", "d = fused(a, b, d)", "CDNA3 VOP2"},
    {"v_mad_f32|v_madmk_f32|v_madak_f32", "f32:f32,f32,f32", "d = a * b + c", "CDNA2 VOP3A, CDNA2 VOP2"},
    {"v_mac_f32", "+f32:f32,f32", "d = a * b + d", "CDNA2 VOP2"},
    {"v_min_f32|v_min_num_f32", "f32:f32,f32", "d = least_f32(a, b)", "CDNA3 VOP2, RDNA4 VOP2"},
    {"v_max_f32|v_max_num_f32", "f32:f32,f32", "d = greatest_f32(a, b)", "CDNA3 VOP2, RDNA4 VOP2"},
    {"v_min3_f32|v_min3_num_f32", "f32:f32,f32,f32", "d = least_f32(least_f32(a, b), c)", "CDNA3 VOP3A, RDNA4 VOP3"},
    {"v_max3_f32|v_max3_num_f32", "f32:f32,f32,f32", "d = greatest_f32(greatest_f32(a, b), c)", "CDNA3 VOP3A, RDNA4 VOP3"},
    {"v_maxmin_f32|v_maxmin_num_f32", "f32:f32,f32,f32", "d = least_f32(greatest_f32(a, b), c)", "RDNA3 VOP3, RDNA4 VOP3"},
    {"v_minmax_f32|v_minmax_num_f32", "f32:f32,f32,f32", "d = greatest_f32(least_f32(a, b), c)", "RDNA3 VOP3, RDNA4 VOP3"},
    {"v_med3_f32|v_med3_num_f32", "f32:f32,f32,f32", "d = median_f32(a, b, c)", "CDNA3 VOP3A, RDNA4 VOP3"},
    {"v_rcp_f32|v_rcp_f64|v_rcp_iflag_f32", "f#:f#", "d = 1 / a", "CDNA3 VOP1"},
    {"v_rsq_f32", "f32:f32", "d = (float)(1 / sqrt((double)a))", "CDNA3 VOP1"},
    VECTOR_FUNCTION("sqrt", "sqrt")
    {"v_exp_f32", "f32:f32", "d = exp2f(a)", "CDNA3 VOP1"},
    {"v_log_f32", "f32:f32", "d = log2f(a)", "CDNA3 VOP1"},
    {"v_sin_f32", "f32:f32", "d = (float)sin(6.283185307179586 * (double)a)", "CDNA3 VOP1"},
    {"v_cos_f32", "f32:f32", "d = (float)cos(6.283185307179586 * (double)a)", "CDNA3 VOP1"},
    VECTOR_FUNCTION("trunc", "trunc")
    VECTOR_FUNCTION("ceil", "ceil")
    VECTOR_FUNCTION("floor", "floor")
    VECTOR_FUNCTION("rndne", "nearbyint")
    {"v_fract_f32", "f32:f32", "d = a - floorf(a); d = d >= 1 ? 0x1.fffffep-1f : d", "CDNA3 VOP1"},
    {"v_ldexp_f32", "f32:f32,i32", "d = ldexpf(a, b)", "CDNA3 VOP3A"},
    {"v_frexp_mant_f32", "f32:f32", "int exponent; d = isfinite(a) ? frexpf(a, &exponent) : a", "CDNA3 VOP1"},
    {"v_frexp_exp_i32_f32", "i32:f32", "int exponent = 0; if (isfinite(a)) frexpf(a, &exponent); d = exponent", "CDNA3 VOP1"},
    // The three steps of a division, of f64 too, lead to the rounded quotient of c and b. The last one computes that, so
    // the first need not scale.
    {"v_div_scale_f32|v_div_scale_f64", "f#,m:f#,f#,f#", "d = a; e = false", "CDNA3 VOP3B"},
    {"v_div_fmas_f32|v_div_fmas_f64", "f#:f#,f#,f#,vcc", "d = fused(a, b, c); d = carry ? scaled(d, (int)BITS(d)) : d", "CDNA3 VOP3A"},
    {"v_div_fixup_f32|v_div_fixup_f64", "f#:f#,f#,f#", "d = c / b", "CDNA3 VOP3A"},
    {"v_pk_add_f16|v_pk_add_f32", "pf#:pf#,pf#", "d = a + b", "CDNA3 VOP3P"},
    {"v_pk_mul_f16|v_pk_mul_f32", "pf#:pf#,pf#", "d = a * b", "CDNA3 VOP3P"},
    {"v_pk_fma_f32", "pf32:pf32,pf32,pf32", "d = fmaf(a, b, c)", "CDNA3 VOP3P"},
    {"v_dot2c_f32_f16", "+f32:u32,u32", "d = d + f16_low(a) * f16_low(b) + f16_high(a) * f16_high(b)", "CDNA3 VOP2"},

    // ---- Vector, double ----
    {"v_min_f64|v_min_num_f64", "f64:f64,f64", "d = least_f64(a, b)", "CDNA3 VOP3A, RDNA4 VOP2"},
    {"v_max_f64|v_max_num_f64", "f64:f64,f64", "d = greatest_f64(a, b)", "CDNA3 VOP3A, RDNA4 VOP2"},
    {"v_rsq_f64", "f64:f64", "d = 1 / sqrt(a)", "CDNA3 VOP1"},
    {"v_fract_f64", "f64:f64", "d = a - floor(a); d = d >= 1 ? 0x1.fffffffffffffp-1 : d", "CDNA3 VOP1"},
    {"v_ldexp_f64", "f64:f64,i32", "d = ldexp(a, b)", "CDNA3 VOP3A"},
    {"v_frexp_mant_f64", "f64:f64", "int exponent; d = isfinite(a) ? frexp(a, &exponent) : a", "CDNA3 VOP1"},
    {"v_frexp_exp_i32_f64", "i32:f64", "int exponent = 0; if (isfinite(a)) frexp(a, &exponent); d = exponent", "CDNA3 VOP1"},

    // ---- Vector, half ----
    {"v_fma_f16|v_fmamk_f16|v_fmaak_f16", "f16:f16,f16,f16", "d = fused_small(a, b, c)", "CDNA3 VOP3A, RDNA3 VOP2"},
    {"v_fmac_f16", "+f16:f16,f16", "d = fused_small(a, b, d)", "RDNA3 VOP2"},
    {"v_fma_mix_f32", "f32:fmix,fmix,fmix", "d = fmaf(a, b, c)", "CDNA3 VOP3P"},
    {"v_fma_mixlo_f16", "f16lo:fmix,fmix,fmix", "d = fmaf(a, b, c)", "CDNA3 VOP3P"},
    {"v_fma_mixhi_f16", "f16hi:fmix,fmix,fmix", "d = fmaf(a, b, c)", "CDNA3 VOP3P"},
    {"v_pack_b32_f16", "u32:u16,u16", "d = a | (uint32_t)b << 16", "CDNA3 VOP3A"},
    {"v_min_f16|v_min_num_f16", "f16:f16,f16", "d = least_f64(a, b)", "CDNA3 VOP2"},
    {"v_max_f16|v_max_num_f16", "f16:f16,f16", "d = greatest_f64(a, b)", "CDNA3 VOP2"},
    {"v_min3_f16|v_min3_num_f16", "f16:f16,f16,f16", "d = least_f64(least_f64(a, b), c)", "CDNA3 VOP3A, RDNA4 VOP3"},
    {"v_max3_f16|v_max3_num_f16", "f16:f16,f16,f16", "d = greatest_f64(greatest_f64(a, b), c)", "CDNA3 VOP3A, RDNA4 VOP3"},
    {"v_med3_f16|v_med3_num_f16", "f16:f16,f16,f16", "d = median_f64(a, b, c)", "CDNA3 VOP3A, RDNA4 VOP3"},
    {"v_maxmin_f16|v_maxmin_num_f16", "f16:f16,f16,f16", "d = least_f64(greatest_f64(a, b), c)", "RDNA3 VOP3, RDNA4 VOP3"},
    {"v_minmax_f16|v_minmax_num_f16", "f16:f16,f16,f16", "d = greatest_f64(least_f64(a, b), c)", "RDNA3 VOP3, RDNA4 VOP3"},
    {"v_div_fixup_f16", "f16:f16,f16,f16", "d = c / b", "CDNA3 VOP3A"},
    {"v_rcp_f16", "f16:f16", "d = 1 / a", "CDNA3 VOP1"},
    {"v_rsq_f16", "f16:f16", "d = 1 / sqrt(a)", "CDNA3 VOP1"},
    {"v_exp_f16", "f16:f16", "d = exp2(a)", "CDNA3 VOP1"},
    {"v_log_f16", "f16:f16", "d = log2(a)", "CDNA3 VOP1"},
    {"v_sin_f16", "f16:f16", "d = sin(6.283185307179586 * a)", "CDNA3 VOP1"},
    {"v_cos_f16", "f16:f16", "d = cos(6.283185307179586 * a)", "CDNA3 VOP1"},
    {"v_fract_f16", "f16:f16", "d = a - floor(a); d = d > 0x1.ffcp-1 ? 0x1.ffcp-1 : d", "CDNA3 VOP1"},
    {"v_ldexp_f16", "f16:f16,i16", "d = ldexp(a, b)", "CDNA3 VOP2"},
    {"v_frexp_mant_f16", "f16:f16", "int exponent; d = isfinite(a) ? frexp(a, &exponent) : a", "CDNA3 VOP1"},
    {"v_frexp_exp_i16_f16", "i16:f16", "int exponent = 0; if (isfinite(a)) frexp(a, &exponent); d = (int16_t)exponent", "CDNA3 VOP1"},
    {"v_pk_fma_f16", "pf16:pf16,pf16,pf16", "d = fused_small(a, b, c)", "CDNA3 VOP3P"},
    {"v_pk_min_f16|v_pk_min_num_f16", "pf16:pf16,pf16", "d = least_f64(a, b)", "CDNA3 VOP3P"},
    {"v_pk_max_f16|v_pk_max_num_f16", "pf16:pf16,pf16", "d = greatest_f64(a, b)", "CDNA3 VOP3P"},

    // ---- Vector, conversions ----
    {"v_cvt_f32_u32", "f32:u32", "d = (float)a", "CDNA3 VOP1"},
    {"v_cvt_f32_i32", "f32:i32", "d = (float)a", "CDNA3 VOP1"},
    {"v_cvt_u32_f32", "u32:f32", "d = u32_from(a)", "CDNA3 VOP1"},
    {"v_cvt_i32_f32", "i32:f32", "d = i32_from(a)", "CDNA3 VOP1"},
    {"v_cvt_f64_f32", "f64:f32", "d = a", "CDNA3 VOP1"},
    {"v_cvt_f32_f64", "f32:f64", "d = (float)a", "CDNA3 VOP1"},
    {"v_cvt_f64_u32", "f64:u32", "d = a", "CDNA3 VOP1"},
    {"v_cvt_f64_i32", "f64:i32", "d = a", "CDNA3 VOP1"},
    {"v_cvt_u32_f64", "u32:f64", "d = u32_from(a)", "CDNA3 VOP1"},
    {"v_cvt_i32_f64", "i32:f64", "d = i32_from(a)", "CDNA3 VOP1"},
    {"v_cvt_f32_f16", "f32:f16", "d = (float)a", "CDNA3 VOP1"},
    {"v_cvt_f16_f32", "f16:f32", "d = a", "CDNA3 VOP1"},
    {"v_cvt_f32_ubyte0", "f32:u32", "d = (float)(a & 255)", "CDNA3 VOP1"},
    {"v_cvt_f32_ubyte1", "f32:u32", "d = (float)(a >> 8 & 255)", "CDNA3 VOP1"},
    {"v_cvt_f32_ubyte2", "f32:u32", "d = (float)(a >> 16 & 255)", "CDNA3 VOP1"},
    {"v_cvt_f32_ubyte3", "f32:u32", "d = (float)(a >> 24)", "CDNA3 VOP1"},
    {"v_cvt_u32_u16", "u32:u16", "d = a", "RDNA3 VOP1"},
    {"v_cvt_i32_i16", "i32:i16", "d = a", "RDNA3 VOP1"},
    {"v_cvt_f16_u16", "f16:u16", "d = a", "CDNA3 VOP1"},
    {"v_cvt_f16_i16", "f16:i16", "d = a", "CDNA3 VOP1"},
    {"v_cvt_u16_f16", "u16:f16", "d = (uint16_t)MIN(u32_from(a), UINT16_MAX)", "CDNA3 VOP1"},
    {"v_cvt_i16_f16", "i16:f16", "const int32_t whole = i32_from(a); d = (int16_t)MEDIAN(INT16_MIN, whole, INT16_MAX)", "CDNA3 VOP1"},
};
// clang-format on

// Scalar instructions that compute what the vector instruction of this name does in a lane (CDNA3 SOP1, SOP2; RDNA4
// SOP1, SOP2, VOP3): s_add_f32 as v_add_f32, v_s_rcp_f32 as v_rcp_f32.
static const char by_lane[] =
    "s_mov_b32|s_mov_b64|s_bfm_b32|s_mul_hi_u32|s_mul_hi_i32|s_add_f32|s_sub_f32|s_mul_f32|s_min_num_f32|"
    "s_max_num_f32|s_fmac_f32|s_fmamk_f32|s_fmaak_f32|s_cvt_f32_u32|s_cvt_f32_i32|s_cvt_u32_f32|s_cvt_i32_f32|"
    "s_trunc_f32|s_floor_f32|s_ceil_f32|s_rndne_f32|s_add_f16|s_sub_f16|s_mul_f16|s_min_num_f16|s_max_num_f16|s_fmac_"
    "f16|"
    "s_trunc_f16|s_floor_f16|s_ceil_f16|s_rndne_f16|s_cvt_f16_f32|s_cvt_f32_f16|v_s_rcp_f16|v_s_rsq_f16|v_s_sqrt_f16|"
    "v_s_exp_f16|v_s_log_f16|v_s_exp_f32|v_s_log_f32|v_s_rcp_f32|v_s_rsq_f32|v_s_sqrt_f32";

bool gcn_is_scalar(const char *name) {
    return !strncmp(name, "s_", 2) || !strncmp(name, "v_s_", 4);
}

uint32_t gcn_width(const char *name) {
    const size_t length = strlen(name);
    const char *end = name + (length < 2 ? 0 : length - 2);
    return !strcmp(end, "16") ? 16 : !strcmp(end, "32") ? 32 : !strcmp(end, "64") ? 64 : 0;
}

const struct gcn_instruction *gcn_instruction_find(const char *name) {
    char vector[64];
    if (list_place(by_lane, '|', name) >= 0) {
        snprintf(vector, sizeof vector, "v_%s", strstr(name, "s_") + 2);
        name = vector;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (list_place(table[i].names, '|', name) >= 0) {
            return &table[i];
        }
    }
    return NULL;
}

// The text after "v_cmp_", "v_cmpx_", "s_cmp_" or "s_cmpk_"; NULL if the name begins otherwise.
static const char *compared(const char *name) {
    static const char *const beginnings[] = {"v_cmp_", "v_cmpx_", "s_cmp_", "s_cmpk_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) {
            return name + strlen(beginnings[i]);
        }
    }
    return NULL;
}

// CDNA3 and RDNA3, VOPC, SOPC and SOPK; RDNA4, SOPC. The N forms are also true of NaNs.
bool gcn_comparison_find(const char *name, struct gcn_comparison *comparison) {
    static const struct {
        const char *name, *expression;
        const char *scalar_types; // of which a scalar instruction compares so
    } rows[] = {{"lt", "a < b", "i32|u32|f32|f16"},
                {"eq", "a == b", "i32|u32|f32|u64|f16"},
                {"le", "a <= b", "i32|u32|f32|f16"},
                {"gt", "a > b", "i32|u32|f32|f16"},
                {"ne", "a != b", ""},
                {"ge", "a >= b", "i32|u32|f32|f16"},
                {"lg", "(a < b) | (a > b)", "i32|u32|f32|u64|f16"},
                {"o", "(a == a) & (b == b)", "f32|f16"},
                {"u", "(a != a) | (b != b)", "f32|f16"},
                {"nge", "!(a >= b)", "f32|f16"},
                {"nlg", "!((a < b) | (a > b))", "f32|f16"},
                {"ngt", "!(a > b)", "f32|f16"},
                {"nle", "!(a <= b)", "f32|f16"},
                {"neq", "!(a == b)", "f32|f16"},
                {"nlt", "!(a < b)", "f32|f16"},
                {"f", "0", ""},
                {"t", "1", ""},
                {"tru", "1", ""}};
    const bool scalar = gcn_is_scalar(name);
    const char *relation = compared(name);
    if (!relation) {
        return false;
    }
    *comparison = (struct gcn_comparison){.sets_exec = name[5] == 'x', .by_constant = name[5] == 'k'};
    if (!scalar && !strncmp(relation, "class_f", 7)) {
        strcpy(comparison->type, "class");
        comparison->expression = relation[7] == '6' ? "class_f64(a, b)" : "class_f32(a, b)";
        return !strcmp(relation + 7, "32") || !strcmp(relation + 7, "64");
    }
    const char *type = strchr(relation, '_');
    const size_t length = type ? (size_t)(type - relation) : 0;
    for (size_t i = 0; type && i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == length && !strncmp(relation, rows[i].name, length)) {
            const char *types = scalar ? rows[i].scalar_types : "u16|i16|f16|u32|i32|f32|u64|i64|f64";
            comparison->expression = rows[i].expression;
            snprintf(comparison->type, sizeof comparison->type, "%s", type + 1);
            return list_place(types, '|', type + 1) >= 0 &&
                   (!comparison->by_constant || list_place("i32|u32", '|', type + 1) >= 0);
        }
    }
    return false;
}

bool gcn_is_idle(const char *name) {
    static const char *const names =
        "s_nop|s_clause|s_delay_alu|s_inst_prefetch|s_set_inst_prefetch_distance|s_setprio|s_sleep|"
        "s_waitcnt_depctr|s_wait_alu|s_wait_expcnt|s_wait_samplecnt|s_wait_bvhcnt|s_waitcnt_vscnt|s_wait_storecnt|s_"
        "wait_idle|s_wait_event|"
        "s_icache_inv|s_dcache_inv|s_dcache_wb|s_sethalt|s_code_end|s_setreg_imm32_b32|s_setreg_b32|"
        "s_sendmsg|s_incperflevel|s_barrier_signal|v_nop|buffer_gl0_inv|buffer_gl1_inv|"
        "buffer_wbinvl1_vol|buffer_wbinvl1|buffer_wbl2|buffer_invl2|buffer_inv|global_inv|global_wb|"
        "global_wbinv|s_ttracedata";
    return list_place(names, '|', name) >= 0;
}
