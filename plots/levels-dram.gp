# Bandwidth of memory by the distance between reads, one line per number of bytes that are read together.
# probe: levels
# variants: dram
# scope: device
# column: distance = 16*stride
# series: fetch_bytes
# rows: distance
# values: bandwidth_gb_s
title = 'Bandwidth of memory by the distance between reads'
set xlabel 'distance (bytes)'
set ylabel 'useful bandwidth (GB/s)'
set format x '2^{%L}'
show_peak = 1
load 'series.gp'
