# The matrix's way to a GPU and back: what pinned memory, copies without the padding and a matrix made on the device gain.
# probe: apsp
# variants: transfers
# scope: device
# where: backend=cuda|hip source=measured kernel=init|pin|copy-in|pad|unpad|copy-out
# series: kernel
# order: init pin copy-in pad unpad copy-out
# rows: work_rank way
# values: time_ns_median
# alike: vertices
title = 'The matrix to a GPU and back'
bar_names = 'pageable pinned copied-without-padding made-on-the-device'
note = 'each bar has what the ones before it have'
load 'stack.gp'
