# The in-place ladder: bandwidth of each step, and what its first launch asked of global memory.
# probe: reduce
# variants: global-neighbored global-neighbored-less global-interleaved global-unroll2 global-unroll4 global-unroll8 global-unroll8-warp global-unroll8-full global-unroll8-const read-limit library
# scope: device
# where: type=int32 backend=cuda|hip|sim
# series: none
# rows: step
# values: speed bandwidth_gb_s load_efficiency_pct store_efficiency_pct lanes_pct branches barriers
# published: reduce-rtx3080.csv
title = 'Reduction in place, step by step'
step_names = 'neighbored less interleaved unroll2 unroll4 unroll8 8-warp 8-full 8-const'
counters = 'load_efficiency_(%) store_efficiency_(%) active_lanes_(%) branches_a_warp barriers_a_warp'
published_columns = '1 1 0 0 0'
digits = '%.2f'
ylabel_text = 'bandwidth (GB/s)'
note = 'published: study notes "Unrolling Loops", an NVIDIA GeForce RTX 3080'
load 'steps.gp'
