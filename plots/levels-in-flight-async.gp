# Bandwidth by the bytes in flight of asynchronous copies to shared memory, 16 bytes by each lane or a box by a copy
# engine, beside plain loads. The same bytes can be many stages of a small box or few stages of a large one.
# probe: levels
# variants: in-flight in-flight-async in-flight-async-l2 in-flight-bulk
# beside: in-flight
# file: levels-in-flight
# scope: device
# where: width_bytes=16
# same: footprint_bytes
# series: variant
# rows: bytes_in_flight
# values: bandwidth_gb_s
title = 'Bandwidth by the bytes in flight of asynchronous copies'
set xlabel 'bytes in flight on the whole device'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
show_peak = 1
load 'series.gp'
