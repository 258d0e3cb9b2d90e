# The matrix's transfer to a GPU and back: what pinned memory, copies without the padding and a matrix made on the device gain.
# probe: apsp
# variants: transfers
# scope: device
# where: backend=cuda|hip source=measured
# series: kernel
# groups: init pin copy-in pad unpad copy-out
# rows: kernel op
# values: time_ns_median
# same: vertices
title = 'The matrix to a GPU and back'
labels = 'pageable+kernel+host=pageable pinned+kernel+host=pinned pinned+copy+host=without-padding pinned+copy+device=made-on-the-device'
note = 'each bar adds one option to the bar before'
load 'stack.gp'
