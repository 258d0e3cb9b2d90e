# One direction between devices while all pairs are busy. A cell that is paler here than in `links-pairs` shares its
# link.
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
