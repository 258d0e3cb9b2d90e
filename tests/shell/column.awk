# One column of a CSV: awk -v want=NAME -f scripts/csv.awk -f tests/shell/column.awk FILE
!(want in row) {
    print "no column " want
    exit 1
}
{ print row[want] }
