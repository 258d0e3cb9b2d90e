# Latency of one access by footprint, one line per kind of access.
# probe: levels
# variants: latency latency-shared latency-atomic latency-read-only
# scope: device
# series: variant
# rows: footprint_bytes
# values: latency_ns
title = 'Latency of one access, each waiting for the one before'
set xlabel 'footprint (bytes)'
set ylabel 'latency (ns)'
set format x '2^{%L}'
load 'series.gp'
