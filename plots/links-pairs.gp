# All pairs of devices: one direction alone, with a matrix for each variant that can move the bytes.
# probe: links
# variants: pair-*
# scope: device
# where: direction=one-way
# series: variant
# rows: number(from) number(to)
# values: one_way_gb_s
# same: footprint_bytes
title = 'Bandwidth between devices, one way, GB/s'
load 'matrix.gp'
