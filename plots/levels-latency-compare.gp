# The time of one load if the next one waits for it, by footprint, one line per device, with published curves behind
# (green NVIDIA, red AMD).
# probe: levels
# variants: latency
# scope: compare
# where: op=load
# series: device
# rows: footprint_bytes
# values: latency_ns
# curves: latency.csv footprint_kib*1024 cycles_mean/clock_mhz*1000
# points: 3
title = 'Latency of a load: all devices'
set xlabel 'footprint (bytes)'
set ylabel 'latency (ns)'
set format x '2^{%L}'
curves_note = 'published: RRZE-HPC gpu-benches'
load 'published-devices.gp'
dot = 0.7 * dot # there are many
load 'series.gp'
