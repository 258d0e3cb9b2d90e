# The bytes that each row of a CSV requests in a launch, one row per line.
# Called as: awk -f scripts/csv.awk -f scripts/useful_bytes.awk CSV

{ print row["useful_bytes"] }
