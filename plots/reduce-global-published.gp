# The gain of each step of the ladder in place over its first, ours and a published one. Their device is not ours, so
# only the shape can be compared.
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
