"""Graphs with the engine's layouts and with Triton's."""
from report.markdown import grid
from report.records import device_of
from report.subject import Miss, Subject

def table(data):
    context, pairs = data["context"], data["pairs"]
    return [f"For {sum(p['agrees'] for p in pairs)} of {len(pairs)} graphs the "
            f"model predicts which is faster; {device_of(context)}, "
            f"`{context['command']}`, "
            f"commit {context['commit']}.", ""] + grid(
                ["graph", "cycles, engine", "Triton", "µs, engine", "Triton"],
                [[p["name"].replace("_", " ")]
                 + [f"{c:.1f}" for c in p["cycles"]]
                 + [f"{us:.1f}" for us in p["us"]] for p in pairs])


def missed(data):
    for pair in data["pairs"]:
        if not pair["agrees"]:
            yield Miss(pair["name"].replace("_", " "),
                       f"{pair['us'][0]:.1f} µs",
                       f"below Triton's {pair['us'][1]:.1f} µs")


SUBJECTS = [Subject(
    "engine", "engine", "pairs", "Layouts for graphs",
    "Ten graphs of Triton's tests and kernels, with the layouts that the "
    "engine finds and with those that Triton's passes leave: of the graphs "
    "that run as written, those in which the engine saves the largest "
    "fraction. Cycles are the model's, per warp. Times are of kernels that "
    "repeat everything between loads and stores.", table, missed)]
