# Bandwidth by the number of elements: the launch determines the time of small sums, the memory that of large ones.
# probe: reduce
# variants: read-limit vector single-pass redux counted library
# scope: device
# where: backend=cuda|hip|sim
# series: variant
# rows: elements
# same: type
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Reduction: bandwidth by array size'
set xlabel 'elements'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
show_peak = 1
load 'series.gp'
