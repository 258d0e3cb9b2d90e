# The ratios of a comparison, row by row, with the interval of each: drawn by plots/compare.sh.
# data: the points of compare.awk, which sets names, tics, last and span, too; format: see style.gp.
set datafile separator comma
set datafile missing NaN
set label 1 sprintf('{/:Bold=%g %s}', big, 'Speed of B over speed of A') at screen 0.02, 0.955 left textcolor rgb ink
set label 2 names at screen 0.02, 0.905 left noenhanced font small textcolor rgb pale
set label 3 'a point is a row, in the order of the comparison; bars: the interval that holds for all rows together' at screen 0.02, 0.872 \
    left noenhanced font small textcolor rgb pale
tiny = format eq 'svg' ? ',12' : ',9'
crowded = last > 6
if (crowded) { set xtics rotate by 60 right noenhanced font tiny } else { set xtics noenhanced font small }
eval 'set xtics ('.tics.')'
if (span > 3) { set logscale y 2 }
set ylabel 'B over A: above 1 B is faster'
set lmargin at screen 0.14
set rmargin at screen 0.965
set tmargin at screen 0.835
set bmargin at screen crowded ? 0.34 : 0.15
set key at screen 0.5, screen 0.025 center horizontal samplen 1.5 font small
set grid noxtics ytics
set xrange [0:last]
set offsets 0, 0, graph (span > 3 ? 0 : 0.1), graph (span > 3 ? 0 : 0.1)
set arrow from graph 0, first 1 to graph 1, first 1 nohead dashtype 2 linewidth 2 linecolor rgb ink back
outcomes = 'same faster slower unsure'
tint(k) = word('#56B4E9 #009E73 #D55E00 #999999', k)
of(k, value) = strcol("verdict") eq word(outcomes, k) ? value : NaN
plot for [k=1:3] data using (column("x")):(of(k, column("ratio_low"))):(0):(column("ratio_high") - column("ratio_low")) with vectors heads \
        size screen 0.004,90 linewidth 1.2 linecolor rgb tint(k) notitle, \
    for [k=1:4] data using (column("x")):(of(k, column("ratio"))) with points pointtype (k == 4 ? 6 : 7) pointsize 0.8 * dot linecolor rgb tint(k) \
        title word(outcomes, k)
