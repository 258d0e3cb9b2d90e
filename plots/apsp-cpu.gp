# All-pairs shortest paths on the CPU: each method's rate and the one of bare instructions.
# probe: apsp
# variants: cpu-reference cpu-course cpu-tiled cpu-int16
# scope: device
# where: backend=cpu
# series: none
# rows: step
# values: gop_s peak_gop_s
# alike: vertices
title = 'All-pairs shortest paths on the CPU'
step_names = 'cpu-reference cpu-course cpu-tiled cpu-int16'
ylabel_text = 'min-plus updates (GOP/s)'
load 'bars.gp'
