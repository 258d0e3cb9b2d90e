# Energy of a byte by the footprint: read by all units together, or by each unit from a separate one, with what the device
# draws when idle.
# probe: levels
# variants: bandwidth unit-bandwidth
# file: levels-energy
# scope: device
# series: variant
# rows: footprint_bytes
# values: pj_per_byte
title = 'Energy of a byte by the footprint'
set xlabel 'footprint (bytes)'
set ylabel 'energy (pJ a byte)'
set format x '2^{%L}'
load 'series.gp'
