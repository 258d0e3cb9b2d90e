# Energy of a useful byte by stride. Bytes that are moved and not used cost as much as the others.
# probe: gmem
# file: gmem-energy
# variants: read write stride-copy
# scope: device
# where: width_bytes=4
# series: variant
# rows: stride
# values: pj_per_byte
title = 'Energy of a byte by stride'
set xlabel 'stride (elements)'
set ylabel 'energy (pJ a useful byte)'
load 'series.gp'
