# The ladder of sums through shared memory, a bar for each step. The line across is the fastest plain read of the same
# bytes in the same run; the dashed line, if there is one, is the vendor's library. The table below shows what the
# first launch asked of the device, as the simulator counts it, with published figures in grey. Read a bar together
# with the column below it: if a step changes a counter but not the bar, that counter did not limit the sum.
# probe: reduce
# variants: @reduce-ladder
# yardsticks: read-limit library
# scope: device
# first: 4
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
