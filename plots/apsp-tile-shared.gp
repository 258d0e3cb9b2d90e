# What phase 3 asks of shared memory by the size of a tile.
# probe: apsp
# variants: shared
# scope: device
# where: backend=cuda|hip|sim kernel=phase3
# series: variant
# rows: tile
# values: shared_gb_s
# same: vertices
title = 'What phase 3 asks of shared memory'
set xlabel 'rows and columns of a tile'
set ylabel 'bandwidth asked for (GB/s)'
log_y = 0
load 'series.gp'
