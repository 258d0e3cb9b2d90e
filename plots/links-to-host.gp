# Bandwidth from a device to the host by the size of a transfer, one line per kind of the host's memory. The start-up
# time determines small transfers; where the line turns flat, the link is full. Of several devices one is drawn, and
# the foot says which are left out.
# probe: links
# variants: host-* managed-*
# scope: device
# where: to=host direction=one-way
# series: variant
# rows: footprint_bytes
# values: one_way_gb_s
# same: from
title = 'From a device to the host, by the size of a transfer'
set xlabel 'bytes of a transfer'
set ylabel 'bandwidth one way (GB/s)'
set format x '2^{%L}'
show_peak = 1
load 'series.gp'
