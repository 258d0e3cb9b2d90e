# The ladder of sums in place, in global memory, a bar for each step. The line across is the fastest plain read of the
# same bytes in the same run. The table below shows what the first launch asked of global memory, as the simulator
# counts it, with published figures in grey.
# probe: reduce
# variants: global-*
# yardsticks: read-limit library
# scope: device
# where: backend=cuda|hip|sim
# series: none
# rows: variant
# values: speed bandwidth_gb_s load_efficiency_pct store_efficiency_pct active_lanes_pct branches barriers
# same: type elements
# published: reduce-rtx3080.csv
title = 'Reduction in place, step by step'
counters = 'load_efficiency_(%) store_efficiency_(%) active_lanes_(%) branches_a_warp barriers_a_warp'
published_columns = '1 1 0 0 0'
digits = '%.2f'
ylabel_text = 'bandwidth (GB/s)'
note = 'published: study notes "Unrolling Loops", an NVIDIA GeForce RTX 3080'
load 'steps.gp'
