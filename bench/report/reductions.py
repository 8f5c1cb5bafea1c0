"""The table of reductions, written by `make reductions`."""
import re

HEADING = "Reductions"
TEXT = ("Of the layouts that the paper reduces, tensors of 128x16, 128x128, "
        "32x128, 32x32 and 16x16 along each axis: stores and loads of shared "
        "memory in the program of a lane. The paper counts those that Triton "
        "emits for layouts that it does not list. `make reductions` writes "
        "this table.")
TABLE = re.compile(r"<!-- reductions -->\n.*?<!-- /reductions -->", re.S)


def page(text):
    """The page, with the table from its present text."""
    kept = TABLE.search(text)
    table = kept[0] if kept else "<!-- reductions -->\n<!-- /reductions -->"
    return f"# {HEADING}\n\n{TEXT}\n\n{table}\n"
