"""reasons.py - why figures are below their goals, by measurement.

Each entry names a section of bench/results/README.md, a pattern of the lines
there, and the reason. An entry that no line has any more is an error of
`report.py check`.
"""

REASONS = [
]
