# The look of the bar at the end of a box, and where the box's label stands: above the bar.
error_bar = "with vectors heads size screen 0.006,90 linewidth 1.5 linecolor rgb ink"
top_of(y) = valid(high_column) && column(high_column) > y ? column(high_column) : y
