# Each step of the ladder on all devices, in percent of each one's own read limit, NVIDIA first.
# probe: reduce
# variants: @reduce-ladder !redux !read-limit
# scope: compare
# where: backend=cuda|hip|sim
# series: device
# rows: variant
# values: limit_pct
# same: type
# alike: elements
title = 'Reduction, by device'
set ylabel 'bandwidth (% of read limit)'
log_y = 0
below = 1
load 'series.gp'
