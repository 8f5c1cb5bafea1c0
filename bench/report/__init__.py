"""The report: tables, charts and pages of the records in bench/results."""
