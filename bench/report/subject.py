"""The interface of a subject of the report."""
import dataclasses
import typing

def nothing(_):
    """The charts of a subject without charts."""
    return []


@dataclasses.dataclass(frozen=True)
class Miss:
    """A figure below its goal."""
    row: str
    figure: str
    goal: str = ""

    def __str__(self):
        goal = f", goal {self.goal}" if self.goal else ""
        return f"{self.row}: {self.figure}{goal}"


@dataclasses.dataclass(frozen=True)
class Subject:
    """One kind of record.

    name: its name in commands
    records: the first part of its file names
    key: a list or object that only its records have
    heading, text: its section's heading, and the text above the table
    table: lines of Markdown of a record
    missed: a Miss for each figure below its goal
    charts: path and text of each chart
    pictures: the file names of these charts
    later: left out while there is no record
    gpus: the GPUs that its records are of; 0: any number
    """
    name: str
    records: str
    key: str
    heading: str
    text: str
    table: typing.Callable
    missed: typing.Callable
    charts: typing.Callable = nothing
    pictures: tuple = ()
    later: bool = False
    gpus: int = 0
