# Bandwidth of memory by the bytes in flight.
# probe: levels
# variants: in-flight
# scope: device
# series: op
# rows: bytes_in_flight
# values: bandwidth_gb_s bandwidth_low bandwidth_high
title = 'Bandwidth of memory by the bytes in flight'
set xlabel 'bytes in flight on the whole device'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
has_bars = 1
show_peak = 1
load 'series.gp'
