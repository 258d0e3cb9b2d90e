# Names the bars, or the positions of an x that is not a number, by x_names: horizontally if the names fit into plot_width
# pixels, else slanted. labels may give other names to some, as 'name=label ...'. Sets name_height, the room for slanted names.
if (!exists("labels")) { labels = '' } # with braces, because other scripts load this one within theirs
labels = ' '.labels.' '
label_start(name) = strstrt(labels, ' '.name.'=')
name_label(name) = label_start(name) ? word(labels[label_start(name) + strlen(name) + 2:*], 1) : name
x_label(k) = name_label(word(x_names, k))
longest_name = 0
do for [k=1:words(x_names)] { longest_name = strlen(x_label(k)) > longest_name ? strlen(x_label(k)) : longest_name }
slanted = 8.5 * (longest_name + 1) * words(x_names) > plot_width
name_height = slanted ? 0.0065 * longest_name : 0
set xtics scale 0 ('' 1) font small
if (slanted) { set xtics rotate by 30 right }
set for [k=1:words(x_names)] xtics add (x_label(k) k)
