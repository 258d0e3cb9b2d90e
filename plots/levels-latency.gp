# The time of one access if the next one waits for it, by footprint, one line per kind of access. A plateau is a level
# of memory, and a rise is where its size ends; [levels/README.md](../levels/README.md) explains it step by step.
# Shaded stretches are where the rows name a level and the run is sure of its size; the lines behind are published
# curves (green NVIDIA, red AMD).
# probe: levels
# variants: latency latency-shared latency-atomic latency-store latency-read-only latency-constant
# scope: device
# first: 2
# series: variant
# rows: footprint_bytes
# values: latency_ns sure_level
# curves: latency.csv footprint_kib*1024 cycles_mean/clock_mhz*1000
title = 'Latency of one access, each waiting for the one before'
set xlabel 'footprint (bytes)'
set ylabel 'latency (ns)'
set format x '2^{%L}'
curves_note = 'published: RRZE-HPC gpu-benches'
load 'published-devices.gp'
do for [i=1:|series|] { series[i] = series[i] eq 'latency' ? 'load' : series[i][strlen('latency-') + 1:*] }
load 'levels-shade.gp'
dot = 0.7 * dot # there are many
load 'series.gp'
