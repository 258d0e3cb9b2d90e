# Each compute unit's latency to each of several addresses. Two colours are a near and a far part of the cache.
# probe: levels
# variants: partitions
# scope: device
# series: device
# rows: compute_unit address
# picture: cells
# values: latency_ns
title = 'Latency from each compute unit to each address'
load 'frame.gp'
place(address) = sum [k=1:words(x_values)] (word(x_values, k) + 0 <= address)
units = 0
largest(unit) = (units = unit > units ? unit : units)
set table $most_units
plot $data index 'measured:1:' using 1:(largest($1))
unset table
set palette defined (0 '#FFF7BC', 1 '#FEC44F', 2 '#FE9929', 3 '#D9570A', 4 '#993404', 5 '#5C1A04')
set cbrange [y_min:y_max > y_min ? y_max : y_min + 1]
set cblabel 'latency (ns)' offset 1 textcolor rgb ink
set colorbox user origin screen 0.85, screen 0.13 + foot size screen 0.03, screen 0.695 - foot
set xrange [0.5:words(x_values) + 0.5]
set yrange [-0.5:units + 0.5]
set xlabel 'address (random ones, in ascending order)'
set ylabel 'compute unit, as the device numbers it'
unset grid
unset key
set rmargin at screen 0.83
plot $data index 'measured:1:' using (place($2)):1:(place($2) - 0.5):(place($2) + 0.5):($1 - 0.5):($1 + 0.5):3 \
        with boxxyerror fillcolor palette fillstyle solid 1 noborder, \
    $data index 'marked:1:' using (place($2)):1:(place($2) - 0.4):(place($2) + 0.4):($1 - 0.4):($1 + 0.4) \
        with boxxyerror linecolor rgb ink fillstyle empty border
