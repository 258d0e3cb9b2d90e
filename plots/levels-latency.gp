# Latency of one access by footprint, one line per kind of access. The levels that the rows name are shaded, and published
# curves are drawn behind.
# probe: levels
# variants: latency latency-shared latency-atomic latency-store latency-read-only latency-constant
# scope: device
# series: variant
# rows: footprint_bytes
# values: latency_ns level
title = 'Latency of one access, each waiting for the one before'
set xlabel 'footprint (bytes)'
set ylabel 'latency (ns)'
set format x '2^{%L}'
published_table = 'latency.csv'
published_values = '$3 * 1024, $4 / $2 * 1000'
if (!of_cpu) { load 'published-devices.gp' }
do for [i=1:|series|] { series[i] = series[i] eq 'latency' ? 'load' : series[i][strlen('latency-') + 1:*] }
load 'levels-shade.gp'
dot = 0.7 * dot # there are many
load 'series.gp'
