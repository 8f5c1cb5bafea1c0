"""Bank conflicts of GEMM kernels, as ncu counts them."""
from report.markdown import grid
from report.subject import Miss, Subject

def table(data):
    context = data["context"]
    return [f"Wavefronts of a launch, and bank conflicts among them; "
            f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}.", ""] + grid(
        ["", "kernel", "wavefronts", "conflicts"],
        [[row["name"], f"`{row['kernel']}`", str(row["wavefronts"]),
          str(row["wavefronts"] - row["needed"])]
         for row in data["conflicts"]])


def missed(data):
    for row in data["conflicts"]:
        lost = row["wavefronts"] - row["needed"]
        if lost:
            yield Miss(f"{row['name']}, `{row['kernel']}`",
                       f"{lost} bank conflicts", "none")


SUBJECTS = [Subject(
    "profile", "profile", "conflicts", "Bank conflicts of GEMM",
    "The whole kernel, main loop and epilogue, as ncu counts them.",
    table, missed)]
