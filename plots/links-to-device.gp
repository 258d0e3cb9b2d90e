# Bandwidth from the host to a device by the size of a transfer, one line per kind of the host's memory.
# probe: links
# variants: host-*
# scope: device
# where: from=host direction=one-way
# series: variant
# rows: footprint_bytes
# values: one_way_gb_s one_way_low one_way_high
# same: to
title = 'From the host to a device, by the size of a transfer'
set xlabel 'bytes of a transfer'
set ylabel 'bandwidth one way (GB/s)'
set format x '2^{%L}'
has_bars = 1
show_peak = 1
load 'series.gp'
