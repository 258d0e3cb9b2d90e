# Bandwidth of a sum by the size of the array. On the left the launches determine the time, whatever is summed; on the
# right the memory does. Points of arrays that fit into the cache are hollow.
# probe: reduce
# variants: read-limit vector single-pass redux counted library
# scope: device
# where: backend=cuda|hip|sim
# series: variant
# rows: elements
# same: type
# values: bandwidth_gb_s
title = 'Reduction: bandwidth by array size'
set xlabel 'elements'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
show_peak = 1
load 'series.gp'
