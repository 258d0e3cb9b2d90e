# The ratios of a comparison, row by row, with the interval of each: drawn by plots/compare.sh.
# data: the CSV that compare --csv wrote; format: see style.gp.
set datafile separator comma
set datafile missing NaN
set label 1 sprintf('{/:Bold=%g %s}', big, 'Speed of B over speed of A') at screen 0.02, 0.955 left textcolor rgb ink
set label 2 'each row of the comparison, in its order; bars: the interval that holds for all rows together' at screen 0.02, 0.905 \
    left noenhanced textcolor rgb pale
set xlabel 'row'
set ylabel 'B over A: above 1 B is faster'
set lmargin at screen 0.125
set rmargin at screen 0.965
set tmargin at screen 0.87
set bmargin at screen 0.2
set key at screen 0.5, screen 0.04 center horizontal samplen 1.5 font small
set grid noxtics ytics
set xrange [0:*] noextend
set offsets 0, 0, graph 0.1, graph 0.1
set arrow from graph 0, first 1 to graph 1, first 1 nohead dashtype 2 linewidth 2 linecolor rgb ink back
outcomes = 'same faster slower unsure'
tint(k) = word('#56B4E9 #009E73 #D55E00 #999999', k)
of(k, value) = strcol("verdict") eq word(outcomes, k) ? value : NaN
plot for [k=1:3] data using 0:(of(k, column("ratio_low"))):(0):(column("ratio_high") - column("ratio_low")) with vectors heads \
        size screen 0.004,90 linewidth 1.2 linecolor rgb tint(k) notitle, \
    for [k=1:4] data using 0:(of(k, column("ratio"))) with points pointtype (k == 4 ? 6 : 7) pointsize 0.8 * dot linecolor rgb tint(k) \
        title word(outcomes, k)
