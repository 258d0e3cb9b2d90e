# Min-plus updates per second of each variant of blocked Floyd-Warshall on a GPU, step by step.
# probe: apsp
# variants: @apsp-ladder
# scope: device
# first: 6
# where: backend=cuda|hip|sim
# series: none
# rows: variant
# values: gop_s
# same: vertices
title = 'All-pairs shortest paths, step by step'
ylabel_text = 'min-plus updates (GOP/s)'
if (predicted) note = 'predictions count the memory requests of the host''s compiler; a GPU''s compiler may merge some'
load 'bars.gp'
