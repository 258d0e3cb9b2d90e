# Device beside device: what share of its own read limit each step reaches.
# probe: reduce
# variants: interleaved-modulo interleaved-strided sequential first-add unroll-last-warp unroll-full cascade shuffle vector single-pass library
# scope: compare
# where: type=int32 backend=cuda|hip|sim
# series: device
# rows: step
# values: limit_pct
title = 'Reduction, device beside device'
set ylabel 'bandwidth (% of the read limit)'
set xtics rotate by 30 right ('modulo' 1, 'strided' 2, 'sequential' 3, 'first-add' 4, 'last-warp' 5, 'unrolled' 6, 'cascade' 7, \
    'shuffle' 8, 'vector' 9, 'single-pass' 10, 'library' 11)
log_x = 0
log_y = 0
below = 1
load 'series.gp'
