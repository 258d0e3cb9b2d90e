# The conflicts of one kernel: awk -v kernel=NAME -f scripts/csv.awk -f tests/shell/apsp_conflicts.awk FILE
row["kernel"] == kernel { print row["load_bank_conflicts"], row["store_bank_conflicts"] }
