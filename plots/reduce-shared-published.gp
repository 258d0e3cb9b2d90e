# The shared-memory ladder's gains beside published ones.
# probe: reduce
# variants: interleaved-modulo interleaved-strided sequential first-add unroll-last-warp unroll-full cascade shuffle
# scope: device
# where: type=int32 backend=cuda|hip|sim
# series: none
# rows: step
# values: speed_relative
# relative: variant=interleaved-modulo
# published: reduce-mi.csv
title = 'Eight steps of a reduction, relative to the first'
set ylabel 'speed (% of step 1)'
note = 'published: "PDC 2024 Homework 5 Report", an AMD Instinct that it does not name'
set xtics rotate by 30 right ('modulo' 1, 'strided' 2, 'sequential' 3, 'first-add' 4, 'last-warp' 5, 'unrolled' 6, 'cascade' 7, 'shuffle' 8)
log_x = 0
log_y = 0
load 'series.gp'
