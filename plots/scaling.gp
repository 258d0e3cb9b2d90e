# Draws lines over the number of devices, in percent of one device, below the line of ideal scaling. A chart may set unit,
# which is appended to a series' name.
if (predicted && !measured) note = 'predictions leave out the exchange and all overlap'
set arrow 1 from first x_min, first 100 * x_min to first x_max, first 100 * x_max nohead dashtype 2 linewidth 2 linecolor rgb ink
y_max = y_max > 100 * x_max ? y_max : 100 * x_max
set label 10 'ideal scaling' at first x_max, first 100 * x_max right offset -0.5, 0.6 textcolor rgb ink
do for [i=1:|series|] { series[i] = series[i].(exists('unit') ? unit : '') }
load 'series.gp'
