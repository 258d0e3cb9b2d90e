# The parts of the time by the number of devices. Devices share phase 3 and the column's half of phase 2, but not
# phase 1, the pivot's row and the transfer of the matrix.
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
note = 'the parts follow one another here; in a solution exchange and pivot run during phase 3'
load 'stack.gp'
