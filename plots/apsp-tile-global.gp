# What phase 3 asks of global memory by the size of a tile, with and without shared memory.
# probe: apsp
# variants: @apsp-tiles
# scope: device
# where: backend=cuda|hip|sim kernel=phase3
# series: variant
# rows: tile
# values: bandwidth_gb_s
# same: vertices
title = 'What phase 3 asks of global memory'
set xlabel 'rows and columns of a tile'
set ylabel 'bandwidth asked for (GB/s)'
show_peak = 1
load 'series.gp'
