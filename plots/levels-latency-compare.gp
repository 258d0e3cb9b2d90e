# Latency of one load by footprint on all devices, NVIDIA first, with published curves behind.
# probe: levels
# variants: latency
# scope: compare
# where: op=load
# series: device
# rows: footprint_bytes
# values: latency_ns
# points: 3
title = 'Latency of a load: all devices'
set xlabel 'footprint (bytes)'
set ylabel 'latency (ns)'
set format x '2^{%L}'
published_table = 'latency.csv'
published_values = '$3 * 1024, $4 / $2 * 1000'
load 'published-devices.gp'
dot = 0.7 * dot # there are many
load 'series.gp'
