# Latency of memory by the bandwidth of simultaneous traffic, one line per mix of reads and writes. It stays flat
# while the memory has capacity left and rises steeply when it has none.
# probe: levels
# variants: loaded-latency
# scope: device
# series: op
# rows: bandwidth_gb_s
# values: latency_ns
title = 'Latency of memory under load'
set xlabel 'bandwidth of the traffic (GB/s)'
set ylabel 'latency of a load (ns)'
log_x = 0
log_y = 0
do for [i=1:|peak|] {
    if (peak[i] == peak[i]) {
        set arrow 50 from peak[i], graph 0 to peak[i], graph 1 nohead dashtype 2 linewidth 2 linecolor rgb ink
        set label 50 'peak' at peak[i], graph 0.97 right offset -0.5, 0 textcolor rgb ink
        x_max = peak[i] > x_max ? peak[i] : x_max
    }
}
load 'series.gp'
