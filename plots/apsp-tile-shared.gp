# The bandwidth that phase 3 asks of shared memory by the size of a tile.
# probe: apsp
# variants: shared
# scope: device
# where: backend=cuda|hip|sim kernel=phase3
# series: variant
# rows: tile
# values: shared_gb_s
# same: vertices
title = 'Requests of phase 3 to shared memory'
set xlabel 'rows and columns of a tile'
set ylabel 'requested bandwidth (GB/s)'
log_y = 0
load 'series.gp'
