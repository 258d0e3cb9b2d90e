# Bandwidth of memory against the distance of the places that are read, one line a number of bytes at each.
# probe: levels
# variants: dram
# scope: device
# column: distance = 16*stride
# series: fetch_bytes
# rows: distance
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Bandwidth of memory by the distance of what is read'
set xlabel 'distance (bytes)'
set ylabel 'useful bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
show_peak = 1
load 'series.gp'
