# The CPU's sums: bandwidth of each step, with the fastest plain read of the same bytes.
# probe: reduce
# variants: cpu-serial cpu-unroll2 cpu-unroll4 cpu-unroll8 cpu-simd cpu-threads read-limit
# scope: device
# where: type=int32 backend=cpu
# series: none
# rows: step
# values: speed bandwidth_gb_s
title = 'Reduction on the CPU, step by step'
step_names = 'serial unroll2 unroll4 unroll8 simd threads'
counters = ''
published_columns = ''
has_library = 0
ylabel_text = 'bandwidth (GB/s)'
load 'steps.gp'
