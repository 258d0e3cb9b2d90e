# What each variant with contiguous 16-byte elements reaches: reads, writes and copies by loads and stores, by bulk
# copies and by the driver, the triad and the sum. A copy stays below a read and a write because memory loses time
# between reading and writing.
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
