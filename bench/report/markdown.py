"""Tables and numbers in Markdown."""

def grid(head, rows):
    """A Markdown table; columns after the first are numbers."""
    lines = ["| " + " | ".join(head) + " |",
             "| --- |" + " ---: |" * (len(head) - 1)]
    return lines + ["| " + " | ".join(r) + " |" for r in rows]


def number(x, digits=0):
    """A number; nothing for None."""
    return "" if x is None else f"{x:.{digits}f}"


def between(values, digits=2):
    """The range of figures with decimals."""
    values = [v for v in values if v]
    if not values:
        return "not recorded"
    low, high = (f"{v:.{digits}f}" for v in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def span(numbers):
    """The range of whole numbers."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"
