# All pairs of devices: one direction while all other pairs are busy, with a matrix for each variant that can move the bytes.
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
