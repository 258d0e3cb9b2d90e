# Puts the legend above the plot, in as many columns as fit beside one another, and lets the plot begin below its rows. Before it
# loads this file the chart sets the array legend: the text of each entry, '' where the entry is missing.
entries = 0
longest_entry = 0
do for [k=1:|legend|] {
    entries = entries + (legend[k] ne '')
    longest_entry = strlen(legend[k]) > longest_entry ? strlen(legend[k]) : longest_entry
}
columns = floor(670.0 / (45 + 9.6 * longest_entry)) # as wide as gnuplot takes a letter to be
columns = columns < 1 ? 1 : columns > entries ? entries : columns
legend_rows = entries ? ceil(1.0 * entries / columns) : 1
set key at screen 0.97, screen legend_top top right horizontal maxcols columns samplen 1.5 font small
set tmargin at screen 0.82 - 0.03 * legend_rows
