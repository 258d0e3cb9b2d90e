# Draws published curves of several devices behind our own, one line each: sets behind and behind_names for series.gp. A chart
# sets published_table, a file of results/published, and published_values, the columns for x and y as an awk expression.
array published_device[6] = ['NVIDIA V100', 'NVIDIA A100 80 GB', 'NVIDIA A40', 'AMD Instinct MI100', 'AMD Instinct MI210', \
    'AMD Instinct MI300X']
array published_colour[6] = ['#B7DB9C', '#6BAA48', '#3E7A22', '#F0BFA8', '#DE8566', '#B8452A']
published_data(k) = sprintf("< awk -F , -v device='%s' '$1 == device { print %s }' '%s/%s'", published_device[k], \
    published_values, published_folder, published_table)
is_published(k) = system(sprintf("grep -c '^%s,' '%s/%s'", published_device[k], published_folder, published_table)) > 0
short_name(k) = word(published_device[k], words(published_device[k]) > 3 ? 2 : words(published_device[k]))
published_list = ''
do for [k=1:6] { if (is_published(k)) { published_list = published_list.sprintf(' %d', k) } }
behind = "for [k in published_list] published_data(k + 0) using 1:2 with lines linewidth 1.5 linecolor rgb published_colour[k + 0] notitle,"
behind_names = ", NaN with dots linecolor rgb '#FFFFFF' title 'published:'" \
    .", for [k in published_list] NaN with lines linewidth 2.5 linecolor rgb published_colour[k + 0] title short_name(k + 0)"
note = 'published: RRZE-HPC gpu-benches'
