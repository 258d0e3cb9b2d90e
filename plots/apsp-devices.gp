# The parts of a run's time by the number of devices that share it: which parts shrink, and which do not.
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
title = 'Parts of the time, by the number of devices'
set xlabel 'devices'
note = 'here the parts follow one another; in a solution the exchange and the pivot run during phase 3'
load 'stack.gp'
