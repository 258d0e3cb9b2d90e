# The gain of each step of the ladder through shared memory over its first, ours and a published one. Their device is
# not ours, so only the shape can be compared.
# probe: reduce
# variants: @reduce-ladder !@unpublished
# scope: device
# where: backend=cuda|hip|sim
# series: none
# rows: variant
# values: relative(speed)
# relative: variant=interleaved-modulo
# same: type elements
# published: reduce-mi.csv
title = 'A reduction, relative to its first step'
set ylabel 'speed (% of step 1)'
note = 'published: "PDC 2024 Homework 5 Report", an AMD Instinct that it does not name'
log_y = 0
load 'series.gp'
