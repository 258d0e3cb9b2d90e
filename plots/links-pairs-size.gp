# Bandwidth from one device to another by the size of a transfer, one line for each variant that can move it. The
# start-up time determines small transfers; where the line turns flat, the link is full.
# probe: links
# variants: pair-*
# scope: device
# where: direction=one-way
# series: variant
# rows: footprint_bytes
# values: one_way_gb_s
# same: from to
title = 'From one device to another, by the size of a transfer'
set xlabel 'bytes of a transfer'
set ylabel 'bandwidth one way (GB/s)'
set format x '2^{%L}'
show_peak = 1
load 'series.gp'
