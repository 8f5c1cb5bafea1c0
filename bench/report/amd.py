"""Instructions of conversions on AMD, beside those of Triton's compiler."""
from report.markdown import grid
from report.subject import Miss, Subject

ROWS = [("lds", "for LDS, with permutes and swizzles"),
        ("lds_accesses", "accesses to LDS that these do"),
        ("lane_moves", "between lanes: permutes, DPP, permlane"),
        ("crossing", "between lanes, through LDS or not"),
        ("register_moves", "selects of bytes and registers, no shifts"),
        ("vector", "on the vector ALU, whole kernel"),
        ("barriers", "barriers")]


def table(data):
    """Sums of all cases by target."""
    context, cases = data["context"], data["cases"]
    targets = sorted({c["target"] for c in cases})
    body = [[name] + [str(sum(c[side][key] for c in cases
                              if c["target"] == target))
                      for target in targets for side in ("ll", "triton")]
            for key, name in ROWS]
    fewer = sum(c["ll"]["lds"] < c["triton"]["lds"] for c in cases)
    head = [""] + [text for target in targets for text in (target, "Triton")]
    return [f"Instructions per lane, sums over {len(cases) // len(targets)} "
            f"conversions per target; Triton {context['triton']}, "
            f"{context['compiler']}, `{context['command']}`, commit "
            f"{context['commit']}. Fewer for LDS than Triton's in {fewer} of "
            f"{len(cases)} cases.", ""] + grid(head, body)


def missed(data):
    for key, name in ROWS:
        for case in data["cases"]:
            ours, peer = case["ll"][key], case["triton"][key]
            if key != "vector" and ours > peer:
                yield Miss(f"{case['target']} {case['name']}, {case['bits']} "
                           f"bit", f"{ours} {name}", f"Triton's {peer}")


SUBJECTS = [Subject(
    "amd", "amd", "cases", "Conversions on AMD",
    "Compiled, not run: the instructions of a lane beside those that Triton's "
    "compiler emits for the same conversions. "
    "[amd-counts.json](amd-counts.json) has each case, and "
    "[amd-codeobjects.txt](amd-codeobjects.txt) the "
    "registers and the LDS of the lessons in HIP.", table, missed)]
