"""gpus.py - checkers of what compilers for GPUs write."""
import contextlib
import io
from unittest import mock

from selftests.base import (checker, compiler, fails, sees, silent, succeeds,
                            tool, written)

KERNEL = ".entry k0(\n)\n{\n%s\tret;\n}\n"


@checker("codegen.py")
def _(folder):
    import codegen
    source = written(folder / "x.cu",
                     "// ARITHMETIC k0: 1 in PTX, 1 in sm_90\n")
    def ptx(body, said="", check=None):
        nvcc = compiler(folder / "nvcc", KERNEL % body, said)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.check_ptx(source, "17", folder, check)
    add = "\tadd.s32 \t%r1, %r2, %r3;\n"
    silent(ptx(add))
    sees(ptx(add * 2), "2 arithmetic instructions in PTX, at most 1")
    for text, what in (("\t.local .b8 x[4];", "local memory"),
                       ("\t@%p bra L;", "a branch"),
                       ("\tcall.uni f;", "a call"), ("\ttrap;", "a trap"),
                       ("\t.const .b8 t[4];", "a table"),
                       ("\tld.const.u8 %r1, [t];", "loads from a table")):
        sees(ptx(text + "\n"), what)
    sees(ptx(add, "warning"), "warning")
    unlike = tool(folder / "check", "echo unlike; exit 1\n")
    sees(ptx(add, "", unlike), "unlike")
    def assembled(text):
        nvcc = compiler(folder / "nvcc", "", text)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.check_assembled(source, "90", folder)
    said = ("entry function 'k0'\n%s bytes stack frame, 0 bytes spill stores, "
            "0 bytes spill loads\n")
    silent(assembled(said % 0))
    sees(assembled(said % 8), "k0: 8 0 0 bytes of stack")
    sees(assembled("nothing\n"), "nothing")
    other = written(folder / "y.cu", "#define LL_X\n#define Y 1\n")
    def both(text, wrong=()):
        written(folder / "x.17.ptx", KERNEL)
        written(folder / "y.17.ptx", KERNEL.replace("k0", "k1"))
        nvcc = compiler(folder / "nvcc", "", text)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.assembled_together(
                [source, other], "80", folder,
                {source: mock.Mock(**{"result.return_value": []}),
                 other: mock.Mock(**{"result.return_value": wrong})})
    two = said % 0 + said.replace("k0", "k1") % 0
    silent(both(two) != [source, other])
    for text in (said % 0, two.replace("0 bytes spill l", "4 bytes spill l")):
        silent(both(text))
    silent(both(two, ["its PTX"]))
    sees((folder / "joined.80.cu").read_text(), "#define LL_X\n#include",
         "#undef Y")
    right = mock.Mock(**{"result.return_value": [source]})
    silent(codegen.check_assembled(source, "80", folder, right=right))
    made = tool(folder / "ptxas", f"[ $2 = {folder}/x.17.ptx ] && echo made\n")
    sees(codegen.check_assembled(source, "90", folder, made, mock.Mock()),
         "made")
    def machine(body):
        text = f".section\t.text.k0\n{body}        /*00*/ EXIT ;\n"
        written(folder / "sass", text)
        return codegen.check_machine(
            source, folder, tool(folder / "dis", f"cat {folder / 'sass'}\n"))
    silent(machine("        /*00*/ IADD3 R1 ;\n"))
    sees(machine("        /*00*/ IADD3 R1 ;\n" * 2), "2 arithmetic instr")
    sees(machine("        /*00*/ STL [R1], R2 ;\n"), "STL")
    # beside a kernel that is written by hand, in PTX, registers and instructions
    written(source, "")
    two = KERNEL + KERNEL.replace("k0", "k0_by_hand")
    def beside(code, hand):
        nvcc = compiler(folder / "nvcc", two % (code, hand))
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.check_ptx(source, "17", folder, None)
    silent(beside(add * 2, add))
    silent(beside(add * 2 + "\tadd.s64 \t%rd1, %rd2, 64;\n", add))
    sees(beside(add * 2 + "\tadd.s64 \t%rd1, %rd2, %rd3;\n", add),
         "k0: 3 arithmetic instructions in PTX, 1 by hand")
    used = "Used %d registers\n"
    both = said % 0 + used + said.replace("k0", "k0_by_hand") % 0 + used
    silent(assembled(both % (40, 33)))
    sees(assembled(both % (41, 40)), "k0: 6 times 8 registers, 5 by hand")
    def disassembled(code, hand):
        move = "        /*00*/ MOV R1 ;\n"
        text = "".join(f".section\t.text.{k}\n{move * n}        /*00*/ EXIT ;\n"
                       for k, n in (("k0", code), ("k0_by_hand", hand)))
        written(folder / "sass", text)
        return codegen.check_machine(
            source, folder, tool(folder / "dis", f"cat {folder / 'sass'}\n"))
    silent(disassembled(21, 20))
    sees(disassembled(22, 20), "k0: 23 instructions in sm_90, 21 by hand")
    def stopping(body):
        nvcc = compiler(folder / "nvcc", KERNEL % body)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.stops(folder)
    silent(stopping("\ttrap;\n\tvprintf,\n"))
    sees(stopping(add), "no trap")
    def columns(body, debug):
        nvcc = compiler(folder / "nvcc", KERNEL % body)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.columns(folder, debug)
    sentence = ", ".join(map(str, b"columns inside the matrix"))
    silent(columns(add, 0) + columns(f"\ttrap; {sentence}\n", 1))
    sees(columns("\ttrap;\n", 0), "LL_DEBUG=0: trap;")
    sees(columns(add, 1), "LL_DEBUG=1: trap;")
    sees(columns("\ttrap;\n", 1), f"LL_DEBUG=1: {sentence}")


@checker("assemble.py")
def _(folder):
    import assemble
    asm = "// begin inline asm\n\t%s\n\t// end inline asm\n"
    compiler(folder / "nvcc", ".target sm_75\n" + "".join(
        f".entry k{n}(\n{asm % name}" for n, name in
        enumerate(("ld.shared.u32 a, [b];", "elect.sync a, b;"))))
    functions = [("void", "ll_ptx_old", []), ("void", "ll_ptx_new", [])]

    def checked(*lines):
        """ptxas refuses these lines."""
        tool(folder / "ptxas", "".join(
            f'echo "x.ptx, line {n}; error : no"\n' for n in lines))
        said = io.StringIO()
        with mock.patch.multiple(assemble, NVCC=str(folder / "nvcc"),
                                 TARGETS=["75"]), \
                contextlib.redirect_stdout(said):
            counts = assemble.check(functions, folder)
        return int(counts[1]), said.getvalue()

    succeeds(checked(8))
    fails(checked(), "FAIL ll_ptx_new: elect.sync is assembled for sm_75")
    fails(checked(4, 8), "FAIL ll_ptx_old: ld.shared.u32 is refused for sm_75")

    def named(name, instruction):
        return assemble.misnamed([("void", name, [])], [instruction])

    mma = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale."
    mma += "scale_vec::%dX.f32.e2m1.e2m1.f32.ue4m3"
    silent(named("ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x<0>", mma % 4))
    sees(named("ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x<0>", mma % 2), "2X")
    sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.%s"
    silent(named("ll_ptx_mma_sp_m16n8k32_s32_s8_u8", sparse % "s32.s8.u8.s32"))
    sees(named("ll_ptx_mma_sp_m16n8k32_s32_s8_u8", sparse % "s32.u8.s8.s32"),
         "u8.s8")
    sees(named("ll_ptx_mma_m16n8k32_s32_s8_u8", sparse % "s32.s8.u8.s32"), "sp")
    wgmma = "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"
    silent(named("ll_ptx_wgmma_f32_bf16_ra<64, 0>", wgmma))
    sees(named("ll_ptx_wgmma_f32_f16_ra<64, 0>", wgmma), "bf16")


@checker("assemble_amd.py")
def _(folder):
    import assemble_amd as amd

    def code(body, name="k0", spill=0):
        return 0, (f"{name}: ; @{name}\n{body}\n.Lfunc_end0\n"
                   f"    .amdhsa_kernel {name}\n"
                   f"    .amdhsa_private_segment_fixed_size {spill}\n")

    def with_code(said, function, *arguments):
        with mock.patch.object(amd, "compiled", lambda *_: said):
            return function(*arguments)

    case = [(0, ("perm", "call;", "perm", "v_perm_b32 v", "v_perm_b32 v"))]
    def present(said):
        return with_code(said, amd.check_present, folder, "gfx942", case, [])
    silent(present(code("\tv_perm_b32 v0, v1")))
    sees(present(code("\tv_mov_b32 v0, v1")), "perm for gfx942", "no 'v_perm")
    sees(present(code("\tv_perm_b32 v0", spill=4)), "4 bytes spilled")
    sees(present((1, "an error")), "an error")
    def moved(body):
        with mock.patch.multiple(amd, MOVED={"m": (["v_perm_b32"],) * 3},
                                 CONTAINED={}):
            return with_code(code(body, "m"), amd.check_moves, "gfx942", 64)
    silent(moved("\tv_perm_b32 v0"))
    sees(moved("\tds_bpermute_b32 v0"), "m for gfx942, 64 lanes: moves by")
    sees(moved("\tv_perm_b32 v0\n\ts_branch x"), "a branch")
    with mock.patch.multiple(amd, MOVED={}, CONTAINED={"c": (["ds_x"],) * 2}):
        sees(with_code(code("\tv_y", "c"), amd.check_moves, "gfx942", 64),
             "no ds_x")
        sees(with_code((0, ""), amd.check_moves, "gfx942", 64),
             "c for gfx942 is not there")
    def absent(said):
        return with_code((1, said), amd.check_absent, folder, "gfx908", case,
                         lambda t, _: t == "gfx950")
    error = ("x.hip:1:1: error: static assertion failed: ll: perm is an "
             "instruction of %s\nlacks_gfx908.hip:4:1: note: requested here\n")
    silent(absent(error % "gfx950"))
    sees(absent(""), "perm is not refused for gfx908")
    sees(absent(error % "gfx942"), "is wrong about gfx942")
    sees(absent("x.hip:1:1: error: other\n"), "another error")
    sees(with_code((0, ""), amd.check_sizes, folder), "of 3, 3, 16 words")
    sees(with_code((0, ""), amd.check_forms, folder), "forms of gfx942")
    with mock.patch.object(amd, "run", lambda *_: (1, "no")):
        sees(amd.check_plain(folder, "gfx942"), "plain C for gfx942: no")
        sees(amd.check_dialects(folder, case), "amd.hip")
    nothing = {n: lambda *_: [] for n in
               ("check_present", "check_moves", "check_absent", "check_plain",
                "check_dialects", "check_sizes", "check_forms")}
    with mock.patch.multiple(amd, functions=lambda: {"planted"},
                             asked=lambda _, q: dict.fromkeys(q, True),
                             **nothing):
        sees(amd.check(folder)[1], "ll_amd_planted has no case")


@checker("matmul_amd.py")
def _(_folder):
    import matmul_amd
    good = ("v_mfma_f32_32x32x8_f16 a\n" * 32 + "global_load_dwordx4 v\n"
            "ds_read_b128 v\nds_write_b128 v\n")
    notes = dict.fromkeys(matmul_amd.NOTES, 0)
    def faults(code, **more):
        return matmul_amd.faults("gfx942", {**notes, **more}, code)[0]
    silent(faults(good))
    sees(faults(good, vgpr_spill_count=1), "gfx942: spills")
    sees(faults(good[1:]), "32 of v_mfma", )
    for code, what in (("v_mfma_f32_4x4 a", "no other product"),
                       ("global_load_dword v", "global loads of 16"),
                       ("ds_read_b32 v", "reads of LDS"),
                       ("ds_write_b32 v", "LDS by vectors"),
                       ("v_mov_b32_dpp v", "no exchange of lanes")):
        sees(faults(good + code + "\n"), what)


@checker("lessons_amd.py")
def _(_folder):
    import lessons_amd
    code = "\tglobal_load_dwordx4 v[0:3] // 0\n\ts_barrier // 0\n"
    notes = dict.fromkeys(lessons_amd.NOTES, 0)
    wants = ({lessons_amd.LOAD: 1, lessons_amd.NARROW: 0, "s_barrier": 1},
             {"gfx9": {lessons_amd.DPP: range(1)}})
    def faults(text, **more):
        return lessons_amd.faults("k", "gfx942", {**notes, **more}, text,
                                  wants)[0]
    silent(faults(code))
    sees(faults(code, private_segment_fixed_size=4),
         "k, gfx942: 4 private_segment_fixed_size")
    sees(faults(code, agpr_count=4), "k, gfx942: 4 agpr_count")
    sees(faults(code * 2), "2 of s_barrier, not 1")
    sees(faults(code + "\tv_add_f32_dpp v // 0\n"), "1 of v_\\w+_dpp")
    sees(faults(code + "\tglobal_load_dword v // 0\n"), "1 of global_(load")
    with mock.patch.object(lessons_amd, "build", lambda *_: []):
        sees(lessons_amd.judged("a", "", "gfx942", [()])[1], "0 kernels")
