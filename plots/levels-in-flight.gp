# Bandwidth of memory by the bytes in flight. Where the line is straight, latency limits the bandwidth (Little's law);
# where it is flat, the memory does.
# probe: levels
# variants: in-flight
# scope: device
# series: op
# rows: bytes_in_flight
# values: bandwidth_gb_s
title = 'Bandwidth of memory by the bytes in flight'
set xlabel 'bytes in flight on the whole device'
set ylabel 'bandwidth (GB/s)'
set format x '2^{%L}'
show_peak = 1
# Little's law: bytes in flight over latency. The latency is that of the fewest bytes, when no load waits for another.
few_bytes = few_rate = 0
fewest(x, y) = (few_rate = few_bytes == 0 || x < few_bytes || (x == few_bytes && y > few_rate) ? y : few_rate, \
    few_bytes = few_bytes == 0 || x < few_bytes ? x : few_bytes)
set table $fewest_bytes
plot $data index 'measured:1:' using 1:(fewest($1, $2))
unset table
if (few_rate > 0) {
    little_ns = few_bytes / few_rate
    behind = "x / little_ns with lines linewidth 2 linecolor rgb pale notitle,"
    behind_names = ", NaN with lines linewidth 2 linecolor rgb pale title \"Little's law\""
    note = sprintf("Little's law: bytes in flight over a latency of %.0f ns", little_ns)
}
load 'series.gp'
