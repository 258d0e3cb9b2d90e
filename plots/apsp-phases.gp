# What the time of blocked Floyd-Warshall goes into: each kernel's share of a solution, variant beside variant.
# probe: apsp
# variants: baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16
# scope: device
# where: backend=cuda|hip|sim kernel=pad|phase1|phase2|phase3|unpad
# series: kernel
# order: pad phase1 phase2 phase3 unpad
# rows: work_rank step
# values: time_ns_median
# alike: vertices
title = 'All-pairs shortest paths: what the time goes into'
bar_names = 'baseline grid-2d padded coalesced shared-column shared-row tile-64 occupancy coarsened unrolled register-tiled int16'
shares = 1
slanted = 1
load 'stack.gp'
