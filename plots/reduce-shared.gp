# The shared-memory ladder and the variants after it: bandwidth of each step, and what its first launch asked of the device.
# probe: reduce
# variants: @reduce-ladder
# yardsticks: read-limit library
# scope: device
# where: backend=cuda|hip|sim
# series: none
# rows: variant
# column: lanes = active_lanes_pct|100*valu_active_threads/64
# values: speed bandwidth_gb_s lanes branches|branch_instructions barriers bank_conflicts/warps
# same: type elements
# published: reduce-mi.csv
title = 'Reduction through shared memory, step by step'
counters = 'active_lanes_(%) branches_a_warp barriers_a_warp conflicts_a_warp'
published_columns = '1 1 0 0'
ylabel_text = 'bandwidth (GB/s)'
note = 'published: "PDC 2024 Homework 5 Report", an AMD Instinct that it does not name'
load 'steps.gp'
