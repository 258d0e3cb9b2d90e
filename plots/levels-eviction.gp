# Bandwidth of reads where each unit has a separate footprint, by which lines the loads tell L1 and L2 to evict first or
# last, or not to keep. Footprints that are a little too large show what a cache keeps of a loop that does not fit.
# probe: levels
# variants: policy-ca policy-l1-* policy-l2-*
# file: levels-policy
# scope: device
# where: op=read
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s
title = "Eviction policies by each unit's footprint"
set xlabel 'footprint of each unit (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
load 'series.gp'
