# The shared-memory ladder and what follows: bandwidth of each step, and what its first launch asked of the part.
# probe: reduce
# variants: interleaved-modulo interleaved-strided sequential first-add unroll-last-warp unroll-full cascade shuffle vector single-pass redux read-limit library
# scope: device
# where: type=int32 backend=cuda|hip|sim
# series: none
# rows: step
# values: speed bandwidth_gb_s lanes_pct branches barriers bank_conflicts_per_warp
# published: reduce-mi.csv
title = 'Reduction through shared memory, step by step'
step_names = 'modulo strided sequential first-add last-warp unrolled cascade shuffle vector single-pass redux'
counters = 'active_lanes_(%) branches_a_warp barriers_a_warp conflicts_a_warp'
published_columns = '1 1 0 0'
ylabel_text = 'bandwidth (GB/s)'
note = 'published: "PDC 2024 Homework 5 Report", an AMD Instinct that it does not name'
load 'steps.gp'
