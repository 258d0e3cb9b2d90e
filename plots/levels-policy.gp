# Bandwidth of reads where each unit has a separate footprint, by what the loads tell the caches. Where a curve is low
# up to the size of L1, L1 keeps no line of such loads.
# probe: levels
# variants: policy-ca policy-cg policy-cs policy-nc policy-volatile
# file: levels-policy
# scope: device
# where: op=read
# series: variant
# rows: footprint_bytes
# values: bandwidth_gb_s
title = "Cache policies by each unit's footprint"
set xlabel 'footprint of each unit (bytes)'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
load 'series.gp'
