# The bandwidth that phase 3 asks of global memory by the size of a tile: a larger tile asks less, because each word
# that it has read serves more updates.
# probe: apsp
# variants: @apsp-tiles
# scope: device
# where: backend=cuda|hip|sim kernel=phase3
# series: variant
# rows: tile
# values: bandwidth_gb_s
# same: vertices
title = 'Requests of phase 3 to global memory'
set xlabel 'rows and columns of a tile'
set ylabel 'requested bandwidth (GB/s)'
show_peak = 1
load 'series.gp'
