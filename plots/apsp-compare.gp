# The ladder of blocked Floyd-Warshall, device beside device.
# probe: apsp
# variants: baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16
# scope: compare
# where: backend=cuda|hip|sim
# series: device
# rows: step
# values: gop_s
# alike: vertices
title = 'All-pairs shortest paths, device beside device'
set ylabel 'min-plus updates (GOP/s)'
set xtics rotate by 30 right ('baseline' 1, 'grid-2d' 2, 'padded' 3, 'coalesced' 4, 'by column' 5, 'by row' 6, 'tile-64' 7, \
    'occupancy' 8, 'coarsened' 9, 'unrolled' 10, 'registers' 11, 'int16' 12)
log_x = 0
below = 1
load 'series.gp'
