# Min-plus updates per second of each variant on all devices, NVIDIA first.
# probe: apsp
# variants: @apsp-ladder
# scope: compare
# where: backend=cuda|hip|sim
# series: device
# rows: variant
# values: gop_s
# same: vertices
title = 'All-pairs shortest paths, by device'
set ylabel 'min-plus updates (GOP/s)'
below = 1
load 'series.gp'
