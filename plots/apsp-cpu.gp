# The CPU's methods for all-pairs shortest paths, each below the line that add-min instructions alone reached in the
# same run.
# probe: apsp
# variants: cpu-* !cpu-peak
# scope: device
# first: 7
# where: backend=cpu
# series: none
# rows: variant
# values: gop_s peak_gop_s
# same: vertices
title = 'All-pairs shortest paths on the CPU'
limit_name = 'add-min instructions alone'
ylabel_text = 'min-plus updates (GOP/s)'
load 'bars.gp'
