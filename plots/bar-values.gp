# The value above a bar, and where it stands: on the bar (top_of), or on a line across it that would cross the text. The chart
# sets top, the height of its highest bar or line.
bar_text(y) = sprintf(y < 9.95 ? '%.2g' : y < 99.5 ? '%.3g' : '%.0f', y)
over(line, y) = line > y - 0.01 * top && line < y + 0.06 * top ? line : y
over_both(a, b, y) = over(a, over(b, over(a, y)))
bar_values = "with labels font small offset 0, 0.6 textcolor rgb ink notitle"
