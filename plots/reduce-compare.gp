# All devices: what share of its own read limit each step reaches.
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
set ylabel 'bandwidth (% of the read limit)'
log_y = 0
below = 1
load 'series.gp'
