# Blocked Floyd-Warshall on a GPU, step by step.
# probe: apsp
# variants: baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16
# scope: device
# where: backend=cuda|hip|sim
# series: none
# rows: step
# values: gop_s
# alike: vertices
title = 'All-pairs shortest paths, step by step'
step_names = 'baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16'
ylabel_text = 'min-plus updates (GOP/s)'
if (predicted) note = 'predictions: the source''s memory requests, or its additions and minima where they take longer'
load 'bars.gp'
