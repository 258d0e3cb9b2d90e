# The sums over a kernel's lines of a lanes CSV, after scripts/csv.awk: global requests, sectors, shared requests, passes, conflicts.
{
    requests[row["space"]] += row["requests"]
    sectors += row["sectors"]
    passes += row["passes"]
    conflicts += row["bank_conflicts"]
}
END {
    printf "%d %d %d %d %d ", requests["global"], sectors, requests["shared"], passes, conflicts
}
