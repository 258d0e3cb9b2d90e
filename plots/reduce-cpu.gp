# The CPU's sums: bandwidth of each step, below the line of the fastest plain read of the same bytes.
# probe: reduce
# variants: cpu-*
# yardsticks: read-limit
# scope: device
# first: 5
# where: backend=cpu
# series: none
# rows: variant
# values: speed bandwidth_gb_s
# same: type elements
title = 'Reduction on the CPU, step by step'
counters = ''
published_columns = ''
ylabel_text = 'bandwidth (GB/s)'
load 'steps.gp'
