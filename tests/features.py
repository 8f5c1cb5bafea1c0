"""What nvcc takes the emulator takes, and the results are right.

    features.py [NAME...]     files of tests/emu/features, all without a name

Each .cu file is built for the emulator and run; it compares its results with
values of its own. Where nvcc is, it compiles the file too. refused.txt holds
kernels that nvcc refuses, one a block: both compilers must refuse each, and
take it once the line with `// wrong` is replaced by the one behind it. The
emulator takes the kernels of warned.txt, and warns of each line with
`// warned`: a register there has no value.

C libraries learn new names (glibc 2.41: sinpif), so the emulator's headers must
compile where the C library declares every function of theirs whose name is not
reserved.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/emu/features"
HEADERS = ROOT / "tools/emulator/include"
EMUCC = ["sh", str(ROOT / "tools/emulator/emucc")]
LEAST_KERNELS = 85
LEAST_SHARED = 12
TYPES = re.compile(r"(?:(?:unsigned|int|long|float|double|void) ?)+")


def nvcc():
    """The path of nvcc, which NVCC may name; None where there is none."""
    return shutil.which(os.environ.get("NVCC") or "nvcc")


def run(*command):
    """The exit status and the output of a command."""
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False, cwd=FOLDER)
    return done.returncode, done.stdout + done.stderr


def nvcc_takes(source):
    """Whether nvcc translates a file to PTX, and what it says."""
    code, text = run(nvcc(), "-std=c++17", "-arch=sm_90", "-ptx", source, "-o",
                     os.devnull)
    return code == 0, text


def emulator_takes(source, program):
    """The same of the emulator."""
    code, text = run(*EMUCC, source, "-o", program)
    return code == 0, text


def warnings(text):
    """The lines for which a compiler says that a register has no value."""
    return {int(n) for n in re.findall(
        r":(\d+):\d+: warning: .*uninitiali[sz]ed", text)}


def both_take(source, program, failures):
    """Whether both take a file, without a warning; else it is a failure."""
    mine, said = emulator_takes(source, program)
    if mine and warnings(said):
        failures.append(f"{source.name}: warnings\n{said}")
    if nvcc():
        theirs, other = nvcc_takes(source)
        if mine != theirs:
            failures.append(f"{source.name}: the emulator says {mine}, nvcc "
                            f"{theirs}\n{other if mine else said}")
    return mine


def check_program(source, folder, failures):
    """Builds and runs one program; returns the number of its kernels."""
    program = folder / source.stem
    if not both_take(source, program, failures):
        failures.append(f"{source.name}: does not compile")
        return 0
    code, text = run(program)
    if code or not re.search(r"^[1-9]\d* passed, 0 failed$", text, re.M):
        failures.append(f"{source.name}: exit status {code}\n{text}")
    return len(re.findall(r"__global__", source.read_text()))


def blocks(file="refused.txt"):
    """The kernels of a file: name, wrong text, right text."""
    text = (FOLDER / file).read_text()
    for block in re.split(r"^== ", text, flags=re.M)[1:]:
        name, _, body = block.partition("\n")
        wrong = re.sub(r"^(.*)// right: .*$", r"\1", body, flags=re.M)
        right = re.sub(r"^.*// right: (.*)$", r"\1", body, flags=re.M)
        yield name, wrong, right


def refused(folder, failures):
    """All wrong kernels, each by itself, and all right ones in one file."""
    count, together = 0, []
    for name, wrong, right in blocks():
        source = folder / f"wrong_{count}.cu"
        source.write_text(wrong)
        together.append(f"namespace case_{count} {{\n{right}}}\n")
        if both_take(source, folder / "wrong", failures):
            failures.append(f"refused.txt: {name}: the emulator takes it")
        count += 1
    source = folder / "right.cu"
    source.write_text("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" +
                      "\n".join(together) + "int main() { return 0; }\n")
    if not both_take(source, folder / "right", failures):
        failures.append("refused.txt: the right texts do not compile")
    return count


def warned(folder, failures):
    """Whether the emulator warns of the marked lines of warned.txt, and of no
    line once they are right; returns the number of its kernels."""
    texts = ["", ""]
    count = 0
    for count, (_, *pair) in enumerate(blocks("warned.txt"), 1):
        for k, text in enumerate(pair):
            texts[k] += f"namespace case_{count} {{\n{text}}}\n"
    for name, text in zip(("wrong", "right"), texts):
        want = {n for n, line in enumerate(text.split("\n"), 1)
                if "// warned" in line and name == "wrong"}
        source = folder / f"{name}.cu"
        source.write_text(text + "int main() { return 0; }\n")
        takes, said = emulator_takes(source, folder / name)
        if not takes or warnings(said) != want:
            failures.append(f"warned.txt, {name}: {sorted(warnings(said))}, "
                            f"not {sorted(want)}\n{said}")
    return count


def library():
    """Declarations of C for the functions of the emulator's headers that a C
    library may have one day: no reserved names, none of CUDA's or NCCL's API."""
    found = {}
    for path in sorted(HEADERS.glob("*.h")):
        for words, name, arguments in re.findall(
                r"^EMU_FN_ ([\w ]+?) (\w+)\(([\w ,*]*)\) \{", path.read_text(),
                re.M):
            if TYPES.fullmatch(words) and \
                    not re.match(r"__|emu_|cu|nccl", name):
                found.setdefault(name, f"{words} {name}({arguments});")
    return found


def newer_library(folder, failures):
    """Whether the emulator's headers live with such a library; the number of
    its functions."""
    source, names = folder / "library.cc", library()
    text = "".join(f"#include <{h}.h>\n" for h in (
        "assert", "limits", "math", "stdint", "stdio", "stdlib", "string",
        "time")) + 'extern "C" {\n' + "\n".join(names.values()) + "\n%s}\n" + \
        f'#include "{HEADERS.parent}/emu.h"\n#include <cuda_runtime.h>\n'
    take = [os.environ.get("CXX", "g++"), "-std=c++17", "-fsyntax-only",
            f"-I{HEADERS}", source]
    source.write_text(text % "")
    code, said = run(*take)
    if code:
        failures.append(f"where a C library has their names: {said[:2000]}")
    source.write_text(text % "float __saturatef(float x);\n")
    if not run(*take)[0]:
        failures.append("a name that two have is not noticed")
    return len(names)


def main():
    """Returns the exit status."""
    failures, kernels, programs = [], 0, 0
    named = [FOLDER / f"{n}.cu" for n in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in named or sorted(FOLDER.glob("*.cu")):
            kernels += check_program(source, folder, failures)
            programs += 1
        wrong = 0 if named else refused(folder, failures) + \
            warned(folder, failures)
        shared = 0 if named else newer_library(folder, failures)
    if not named and shared < LEAST_SHARED:
        failures.append(f"{shared} names of a C library, not {LEAST_SHARED}")
    if not named and kernels < LEAST_KERNELS:
        failures.append(f"{kernels} kernels, not {LEAST_KERNELS}")
    print("\n".join(failures))
    print(f"{kernels} kernels of {programs} programs, {wrong} that are wrong" +
          ("" if nvcc() else "; no nvcc to compare with"))
    total = kernels + wrong + (shared and 2)
    print(f"{total - min(total, len(failures))} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
