# All-pairs shortest paths on the CPU: each method's rate, and that of bare instructions.
# probe: apsp
# variants: cpu-* !cpu-peak
# scope: device
# where: backend=cpu
# series: none
# rows: variant
# values: gop_s peak_gop_s
# same: vertices
title = 'All-pairs shortest paths on the CPU'
ylabel_text = 'min-plus updates (GOP/s)'
load 'bars.gp'
