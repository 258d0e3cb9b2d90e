# Every pair of devices: one way while all others go on, a matrix for each that can move the bytes.
# probe: links
# variants: pair-*
# scope: device
# where: direction=all-at-once
# series: variant
# rows: number(from) number(to)
# values: one_way_gb_s
# same: footprint_bytes
title = 'Bandwidth between devices, all pairs at once, GB/s'
load 'matrix.gp'
