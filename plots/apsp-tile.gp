# Updates per second by the size of a tile, with and without shared memory.
# probe: apsp
# variants: @apsp-tiles
# scope: device
# where: backend=cuda|hip|sim
# series: variant
# rows: tile
# values: gop_s
# same: vertices
title = 'All-pairs shortest paths by the size of a tile'
set xlabel 'rows and columns of a tile'
set ylabel 'min-plus updates (GOP/s)'
load 'series.gp'
