# Contiguous access to 16-byte elements: the bandwidth of each variant that has it.
# probe: gmem
# variants: read read-bulk write copy copy-bulk driver-copy triad sum
# scope: device
# where: width_bytes=16 stride=1 offset=0
# series: none
# rows: variant
# values: bandwidth_gb_s
title = 'Contiguous reads, writes and copies'
ylabel_text = 'bandwidth (GB/s, read + written)'
load 'bars.gp'
