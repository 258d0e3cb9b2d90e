// The kernel dialect: what a .cu file may use so that it compiles unchanged with nvcc, NVRTC, hipcc, hiprtc, in the
// simulator and, as C11, with gcc and clang. Where CUDA and HIP agree the dialect is CUDA's own words (threadIdx,
// __shared__, __syncthreads, atomicAdd, clock64); a word of our own stands only where they differ.
//
//   KERNEL            an entry point: KERNEL void copy(...)
//   RESTRICT          no other pointer reaches this memory
//   WARP_WIDTH        lanes of a warp, a constant given by the device layer
//   DYNAMIC_SHARED(type, name)    the launch's dynamic shared memory, as an array
//   shuffle_down(v, n), shuffle_xor(v, mask), warp_barrier()
//   cycle_counter()   the compute unit's clock cycles;  time_counter(): a constant-rate timer
//   word_t            an element of WIDTH bytes, where the kernel is compiled with WIDTH = 1, 2, 4, 8 or 16
//   load_global(p), store_global(p, v), load_shared(p), store_shared(p, v)
//                     one instruction of exactly sizeof *p: never merged, split, hoisted or dropped (p: word_t *)
//   add_min(a, b, c)  min(a + b, c) of int32, by the part's fused instruction where it has one
//   word_fold(w)      the xor of a word's 32-bit parts, as uint32_t
//   word_from_u64(v)  a word of the low WIDTH bytes of v; at 16 bytes v below and ~v above
//   mix64(v)          bench/random.h's hash, for data that differ everywhere
