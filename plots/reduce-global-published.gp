# The gains of the in-place ladder and published ones.
# probe: reduce
# variants: global-* !@unpublished
# scope: device
# where: backend=cuda|hip|sim
# series: none
# rows: variant
# values: relative(speed)
# relative: variant=global-neighbored
# same: type elements
# published: reduce-rtx3080.csv
title = 'A reduction in place, relative to its first step'
set ylabel 'speed (% of neighbored)'
note = 'published: study notes "Unrolling Loops", an NVIDIA GeForce RTX 3080'
log_y = 0
load 'series.gp'
