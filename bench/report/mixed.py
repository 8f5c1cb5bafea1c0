"""GEMM of any two types: the correct cases."""
from report.markdown import grid
from report.subject import Miss, Subject

def table(data):
    context = data["context"]
    return [f"{data['paper']['passed']} of {data['paper']['of']} cases of the "
            f"paper, {data['all']['passed']} of {data['all']['of']} in all; "
            f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}.", ""] + grid(
                ["types", "passed", "of"],
                [[row["types"], str(row["passed"]), str(row["of"])]
                 for row in data["rows"]])


def missed(data):
    for what in ("paper", "all"):
        if data[what]["passed"] != data[what]["of"]:
            yield Miss(what, f"{data[what]['passed']} pass",
                       str(data[what]["of"]))


SUBJECTS = [Subject(
    "mixed", "mixed", "paper", "GEMM of any two types",
    "The mma.sync kernel with operands by rows and by columns, on 8 shapes, "
    "and on 4 more if an operand has 8 bits.", table, missed)]
