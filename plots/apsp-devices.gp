# What the time of a run goes into by the number of devices that share it: what shrinks, and what does not.
# probe: apsp
# variants: multi-device
# scope: device
# where: backend=cuda|hip|sim kernel=read|init|pin|copy-in|pad|phase1|phase2|phase3|exchange|unpad|copy-out|write
# series: work
# order: files matrix copies padding phase1 phase2 phase3 exchange
# rows: work_rank devices
# values: time_ns_median
# alike: vertices
# points: 2
title = 'What the time goes into, by the number of devices'
set xlabel 'devices'
note = 'the parts follow one another here; in a solution the exchange and the pivot go beside phase 3'
load 'stack.gp'
