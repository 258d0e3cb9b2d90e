	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.text
	.globl	sums
	.type	sums,@function
sums:
	.file	1 "sums.hip"
	.loc	1 4 0
	s_load_dword s2, s[4:5], 0x10
	s_load_dwordx4 s[8:11], s[4:5], 0x0
	s_getpc_b64 s[12:13]
	s_add_u32 s12, s12, weight@rel32@lo+4
	s_addc_u32 s13, s13, weight@rel32@hi+12
	s_load_dword s3, s[12:13], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc, s2, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .L2
	global_load_dword v2, v1, s[8:9]
	s_waitcnt vmcnt(0)
	v_mul_f32_e64 v2, -v2, |s3| mul:2
	v_pk_add_u16 v3, v0, v0 op_sel_hi:[1,0]
	v_mad_u64_u32 v[4:5], s[14:15], v0, 3, 0
	v_and_b32_sdwa v6, v4, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	ds_write2_b32 v1, v2, v3 offset1:64
	s_mov_b32 s6, 0
.L1:
	.loc	1 7 0
	s_barrier
	s_add_i32 s6, s6, 1
	s_cmp_lg_u32 s6, 3
	s_cbranch_scc1 .L1
	ds_read2_b32 v[4:5], v1 offset1:64
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v4, v2
	v_mfma_f32_16x16x1f32 a[0:15], v2, v2, 1.0 cbsz:1 abid:1 blgp:3
	v_mbcnt_lo_u32_b32 v7, -1, 0
	v_readfirstlane_b32 s7, v7
	ds_bpermute_b32 v6, v1, v2 offset:4
	global_atomic_add v8, v1, v5, s[10:11] offset:1024 glc
	global_store_dword v1, v2, s[10:11]
.L2:
	s_endpgm
	.size	sums, .-sums
	.data
	.p2align	2
weight:
	.long	0x40000000
	.asciz	"a\n"
	.zero	1
	.amdhsa_kernel sums
		.amdhsa_group_segment_fixed_size 512
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .name:           count
        .offset:         16
        .size:           4
        .value_kind:     by_value
    .kernarg_segment_size: 20
    .name:           sums
    .symbol:         sums.kd
...
	.end_amdgpu_metadata
