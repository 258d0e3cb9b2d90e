# The in-place ladder's gains beside published ones.
# probe: reduce
# variants: global-neighbored global-neighbored-less global-interleaved global-unroll2 global-unroll4 global-unroll8
# scope: device
# where: type=int32 backend=cuda|hip|sim
# series: none
# rows: step
# values: speed_relative
# relative: variant=global-neighbored
# published: reduce-rtx3080.csv
title = 'Six steps of a reduction in place, relative to the first'
set ylabel 'speed (% of neighbored)'
note = 'published: study notes "Unrolling Loops", an NVIDIA GeForce RTX 3080'
set xtics rotate by 30 right ('neighbored' 1, 'less' 2, 'interleaved' 3, 'unroll2' 4, 'unroll4' 5, 'unroll8' 6)
log_x = 0
log_y = 0
load 'series.gp'
