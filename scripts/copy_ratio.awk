# The ratio of our best copy to the driver's copy inside the device, in one run of gmem:
#   awk -f scripts/csv.awk -f scripts/copy_ratio.awk gmem.csv

row["variant"] == "copy" && row["verified"] == "yes" && row["bandwidth_gb_s"] + 0 > ours { ours = row["bandwidth_gb_s"] + 0 }
row["variant"] == "driver-copy" && row["bandwidth_gb_s"] + 0 > drivers { drivers = row["bandwidth_gb_s"] + 0 }

END {
    if (ours && drivers)
        printf "copy %.1f GB/s, driver's own copy %.1f GB/s, ratio %.3f\n", ours, drivers, ours / drivers
}
