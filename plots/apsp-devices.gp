# What the time of a run goes into by the number of devices that share it: what shrinks, and what does not.
# probe: apsp
# variants: multi-device
# scope: device
# where: backend=cuda|hip|sim
# series: kernel
# groups: files=read|write matrix=init|pin copies=copy-in|copy-out padding=pad|unpad phase1 phase2 phase3 exchange
# rows: kernel devices
# values: time_ns_median
# same: vertices
# sources: one
# points: 2
title = 'What the time goes into, by the number of devices'
set xlabel 'devices'
note = 'the parts follow one another here; in a solution the exchange and the pivot go beside phase 3'
load 'stack.gp'
