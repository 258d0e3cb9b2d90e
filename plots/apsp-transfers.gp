# The transfer of the matrix to a GPU and back. Each bar adds one option to the bar before: pinned memory (and the
# time for pinning), copies without the padding, the matrix made from its edges on the device. Only measured rows are
# shown.
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
