# Bandwidth of memory against the bytes that are under way at once.
# probe: levels
# variants: in-flight
# scope: device
# series: op
# rows: bytes_in_flight
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Bandwidth of memory by the bytes under way'
set xlabel 'bytes under way in the whole part'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
show_peak = 1
load 'series.gp'
