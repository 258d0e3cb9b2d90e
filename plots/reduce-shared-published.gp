# The gains of the shared-memory ladder and published ones.
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
