# Bandwidth of `dst[i*S] = src[i*S]` by the stride S, one line per width. Only useful bytes count. While the stride
# grows, each request touches more sectors (32 bytes on NVIDIA, a cache line on AMD and on a CPU), and most of their
# bytes were not asked for, so the line falls by half with every doubling. (The first step may go down to a third,
# because a sector that is written only in part must also be read.) Once each element has its own sector (on Hopper a
# pair of them, which is what a load fetches), a larger stride touches no more sectors. The line still falls, but
# less, because the memory opens a row for fewer and fewer bytes. Narrow elements fall further, because a sector holds
# more of them.
# probe: gmem
# variants: stride-copy
# scope: device
# first: 1
# where: offset=0
# series: width_bytes
# rows: stride
# values: bandwidth_gb_s
title = 'Strided copy in global memory'
set xlabel 'stride (elements)'
set ylabel 'bandwidth (GB/s, read + written)'
show_peak = 1
load 'series.gp'
