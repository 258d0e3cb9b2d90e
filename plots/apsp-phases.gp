# Each kernel's share of the sum of their times, which stands above the bar, rounded. As phase 3 gets faster, the
# pivot's phases take a larger share.
# probe: apsp
# variants: @apsp-ladder
# scope: device
# where: backend=cuda|hip|sim
# series: kernel
# groups: pad phase1 phase2 phase3 rounds=prepare|whole_round unpad
# rows: kernel variant
# values: time_ns_median
# same: vertices
# sources: one
title = 'All-pairs shortest paths: parts of the time'
shares = 1
load 'stack.gp'
