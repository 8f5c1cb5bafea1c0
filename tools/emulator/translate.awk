# translate.awk - turns the parts of preprocessed CUDA that g++ does not know
# into C++.
#
#   extern __shared__ T x[];          the dynamic shared memory
#   __shared__ T x;                   static T x;
#   __device__ T x;                   a variable in the section emu_device
#   __global__ void k(...) { ... }    checks its __launch_bounds__ first
#   __cluster_dims__(x, y, z)         a note at the end of the file
#   k<<<grid, block>>>(arguments)     emu_launch_("k", k, grid, block)(...)
#   asm("..." : "=r"(a) : "r"(b));    emu_asm_("...", outputs, inputs);
#
# emu.h turns the keywords into marks, such as emu_shared_mark_. Lines keep
# their numbers. System headers are skipped. Code that nvcc refuses but g++
# would accept is given a name that g++ refuses (emu_error_...).

# ---- Text ------------------------------------------------------------------

# Returns the place after the string or character literal that starts at i.
function past_literal(s, i,   q, n, c) {
    q = substr(s, i, 1)
    n = length(s)
    for (i++; i <= n; i++) {
        c = substr(s, i, 1)
        if (c == "\\") {
            i++
        } else if (c == q) {
            return i + 1
        }
    }
    return 0
}

function is_literal(s, i,   c) {
    c = substr(s, i, 1)
    return c == "\"" || (c == "'" && substr(s, i - 1, 1) !~ /[0-9a-fA-F]/)
}

# Returns the place of the first character of `set` outside brackets, from i on,
# or 0 if the text ends first.
function find_outside(s, i, set,   n, c, depth) {
    n = length(s)
    depth = 0
    while (i && i <= n) {
        c = substr(s, i, 1)
        if (depth == 0 && index(set, c)) {
            return i
        }
        if (is_literal(s, i)) {
            i = past_literal(s, i)
            continue
        }
        depth += index("([{", c) ? 1 : index(")]}", c) ? -1 : 0
        i++
    }
    return 0
}

function past_blank(s, i) {
    while (substr(s, i, 1) ~ /[ \t\n]/) {
        i++
    }
    return i
}

function word_at(s, i) {
    return match(substr(s, i, 200), /^[A-Za-z_][A-Za-z_0-9]*/) \
           ? substr(s, i, RLENGTH) : ""
}

# Returns the text between the last statement and the end of s.
function behind_statement(s) {
    return match(s, /.*[;{}]/) ? substr(s, RSTART + RLENGTH) : s
}

function has_word(s, w) {
    return match(" " s " ", "[^A-Za-z_0-9]" w "[^A-Za-z_0-9]")
}

function newlines(s) {
    gsub(/[^\n]/, "", s)
    return s
}

# ---- Each construct: returns the place after it, adds to `out` --------------

# From `asm` on. Returns 0 if the text ends before the statement.
function do_asm(s, i,   j, end, part, c, text) {
    i += length(word_at(s, i))
    i = past_blank(s, i)
    while (word_at(s, i) ~ /^(volatile|__volatile__|inline)$/) {
        i = past_blank(s, i + length(word_at(s, i)))
    }
    if (i > length(s)) {
        return 0
    }
    end = find_outside(s, i + 1, ")")
    if (!end) {
        return 0
    }
    text = "emu_asm_("
    part = 0
    for (i++; i < end; i++) {
        c = substr(s, i, 1)
        if (c == ":") {
            part++
            text = text (part == 1 ? ", emu_ops_(" : part == 2 \
                         ? "), emu_ops_(" : part == 3 ? ")" : "")
        } else if (is_literal(s, i)) {
            j = past_literal(s, i)
            text = text (part == 0 ? substr(s, i, j - i) : part > 2 ? "" \
                         : constraint(substr(s, i + 1, j - i - 2)))
            i = j - 1
        } else if (c == "(" && part) {
            j = find_outside(s, i + 1, ")")
            text = text substr(s, i, j - i + 1)
            i = j
        } else if (part < 3 || c == "\n") {
            text = text c
        }
    }
    out = out text (part == 1 || part == 2 ? "))" : ")")
    return end + 1
}

# Turns "=r"(x) into a call with x.
function constraint(k,   flags) {
    flags = k ~ /\+/ ? 3 : k ~ /=/ ? 1 : 0
    gsub(/[=+&%]/, "", k)
    if (k !~ /^[rlhfdnq]$/) {
        return "emu_error_unknown_asm_constraint_"
    }
    return flags ? "emu_asm_out_<'" k "', " flags ">" : "emu_asm_in_<'" k "'>"
}

# From <<< on. The kernel's name is at the end of `out`.
function do_launch(s, i,   n, close_at, name, config, depth, k, c) {
    n = length(s)
    close_at = 0
    for (k = i + 3; k <= n && !close_at; k++) {
        c = substr(s, k, 1)
        depth += index("([{", c) ? 1 : index(")]}", c) ? -1 : 0
        if (depth == 0 && substr(s, k, 3) == ">>>") {
            close_at = k
        }
    }
    k = close_at ? past_blank(s, close_at + 3) : 0
    if (!k || k > n) {
        return 0
    }
    config = substr(s, i + 3, close_at - i - 3)
    name = name_before()
    if (substr(s, k, 1) != "(" || name == "") {
        out = out name "<<<"
        return i + 3
    }
    out = out "emu_launch_(\"" plain(name) "\", " kernel_value(name) ", " \
          config ")" newlines(substr(s, close_at, k - close_at))
    return k
}

# Returns the place before the bracket that matches the bracket at k of `out`.
function before_bracket(k,   depth, c) {
    for (; k; k--) {
        c = substr(out, k, 1)
        depth += index(")]>", c) && substr(out, k - 1, 2) != "->" ? 1 : 0
        depth -= index("([<", c) ? 1 : 0
        if (!depth) {
            return k - 1
        }
    }
    return 0
}

# Removes the expression that names a kernel from the end of `out`: a name,
# maybe with template arguments, a member or an element. A single colon ends a
# label or a case, or stands in ? :.
function name_before(   k, c, from) {
    k = length(out)
    while (k && substr(out, k, 1) ~ /[ \t\n]/) {
        k--
    }
    from = k + 1
    while (k) {
        while (index(")]>", substr(out, k, 1))) {
            k = before_bracket(k)
        }
        while (k && (substr(out, k, 1) ~ /[A-Za-z0-9_]/ || \
                     substr(out, k - 1, 2) == "::")) {
            k -= substr(out, k, 1) == ":" ? 2 : 1
        }
        if (substr(out, k - 1, 2) == "->") {
            k -= 2
        } else if (substr(out, k, 1) == ".") {
            k--
        } else {
            break
        }
    }
    c = substr(out, k + 1, from - k - 1)
    out = substr(out, 1, k)
    return c
}

# Returns a kernel's name without arguments and namespaces.
function plain(name) {
    sub(/<.*/, "", name)
    sub(/.*:/, "", name)
    return name
}

# Returns the kernel, or a lambda that calls it if its template arguments may
# have to be deduced. Any other name must be a pointer to a kernel.
function kernel_value(name) {
    return plain(name) in templates \
        ? "[](auto... emu_a_) { " name "(emu_a_...); }" \
        : name ~ /</ || plain(name) in kernels \
        ? name : "emu_pointer_<decltype(" name ")>::of(" name ")"
}

# Dynamic shared memory, from the mark on. The declaration's `extern` is in
# `out` or still to come. Other shared variables are static.
function do_shared(s, i,   end, head, text) {
    i += length("emu_shared_mark_")
    end = find_outside(s, i, ";")
    if (!end) {
        return 0
    }
    head = behind_statement(tail out)
    text = aligned(substr(s, i, end - i))
    if (has_word(head text, "extern")) {
        add_dynamic(text)
    } else {
        out = out (has_word(head, "static") ? "" : "static") \
              natural(head, text)
        if (find_outside(text, 1, "={")) {
            out = out " emu_error_shared_variable_with_initializer_"
        }
        out = out text
    }
    return end
}

# alignas is not allowed after `static` or `typedef`, the attribute is.
function aligned(text,   at, end, done) {
    while (match(text, /alignas[ \t\n]*\(/)) {
        at = RSTART + RLENGTH
        end = find_outside(text, at, ")")
        done = done substr(text, 1, RSTART - 1) "__attribute__((aligned(" \
               substr(text, at, end - at) ")))"
        text = substr(text, end + 1)
    }
    return done text
}

# Keeps the declared alignment: the compiler would align large variables more.
function natural(head, text,   n, k, c, depth) {
    if (head text ~ /aligned/) {
        return ""
    }
    n = length(text)
    for (k = 1; k <= n; k++) {
        c = substr(text, k, 1)
        depth += index("<(", c) ? 1 : index(">)", c) ? -1 : 0
        if (depth == 0 && index(",[={", c)) {
            break
        }
    }
    text = substr(text, 1, k - 1)
    sub(/[A-Za-z_0-9]+[ \t\n]*$/, "", text)
    return substr(head text, 1) ~ /[({]/ || text !~ /[A-Za-z_]/ ? "" \
        : " __attribute__((aligned(alignof(" text "))))"
}

# Declares a type instead, and x as a reference to it.
function add_dynamic(text,   at, k, name) {
    k = length(out) - length(behind_statement(out))
    name = substr(out, k + 1) "typedef" text
    out = substr(out, 1, k)
    gsub(/extern/, "", name)
    at = match(name, /[A-Za-z_0-9]+[ \t\n]*\[[^\[]*$/)
    k = word_at(name, at)
    out = out substr(name, 1, at - 1) "emu_type_of_" substr(name, at) \
          "; static emu_type_of_" k " &" k " = (emu_type_of_" k \
          " &)emu_dynamic_"
}

# __device__ before a variable, a function or a kernel.
function do_device(s, i,   end, head) {
    i += length("emu_device_mark_")
    end = head_end(s, i)
    if (!end) {
        return 0
    }
    head = behind_statement(tail out) substr(s, i, end - i)
    if (substr(s, end, 1) != "(" && head !~ /emu_constant/ &&
        (head ~ /\*/ || !has_word(head, "const(expr)?"))) {
        out = out "__attribute__((section(\"emu_device\")))"
    }
    return i
}

# Returns the end of a declaration's head: its parameters or its value.
function head_end(s, i,   n, c, w) {
    n = length(s)
    while (i <= n) {
        w = word_at(s, i)
        if (w ~ /^(__attribute__|alignas|decltype)$/ ||
            w ~ /^emu_(bounds|cluster)_mark_$/) {
            i = past_blank(s, i + length(w))
            i = substr(s, i, 1) == "(" ? find_outside(s, i + 1, ")") : i
            if (!i) {
                return 0
            }
            i++
        } else if (w != "") {
            i += length(w)
        } else {
            c = substr(s, i, 1)
            if (index("(;={[", c)) {
                return i
            }
            i++
        }
    }
    return 0
}

# From __global__ to the kernel's body, or to the ; of a declaration.
function do_kernel(s, i,   open, close_at, head, name, body, first) {
    i += length("emu_global_mark_")
    open = head_end(s, i)
    close_at = open ? find_outside(s, open + 1, ")") : 0
    body = close_at ? past_blank(s, close_at + 1) : 0
    if (!body || body > length(s)) {
        return 0
    }
    head = take_bounds(substr(s, i, open - i))
    name = head
    sub(/[ \t\n]*$/, "", name)
    sub(/<.*/, "", name)
    sub(/.*[^A-Za-z_0-9]/, "", name)
    if (behind_statement(tail out) ~ /(^|[^A-Za-z_0-9])template[^A-Za-z_0-9]/) {
        templates[name] = 1
    }
    kernels[name] = 1
    note_clusters(name)
    if (substr(s, open, close_at - open) ~ /,[ \t\n]*\.\.\.[ \t\n]*$/) {
        head = head " emu_error_kernel_of_any_arguments_"
    }
    if (!has_word(behind_statement(tail out) head, "void")) {
        head = head " emu_error_kernel_returns_no_void_"
    }
    first = bounds == "" ? "" : "emu_bounds_(\"" name "\", " bounds ");"
    out = out head take_constants(substr(s, open, close_at - open)) \
          substr(s, close_at, body - close_at)
    first = first constants
    if (substr(s, body, 1) == "{" && first != "") {
        out = out "{ " first
        body++
    }
    bounds = ""
    return body
}

# Removes __grid_constant__ from parameters. `constants`: calls that report the
# parameters with it.
function take_constants(list,   n, k, from, c, depth, name) {
    constants = ""
    n = length(list)
    from = 1
    for (k = 1; k <= n + 1; k++) {
        c = substr(list, k, 1)
        depth += index("(<[{", c) && k > 1 && k <= n ? 1 : 0
        depth -= index(")>]}", c) && k <= n ? 1 : 0
        if (k > n || (c == "," && depth == 0)) {
            name = substr(list, from, k - from)
            from = k + 1
            if (name ~ /emu_grid_mark_/) {
                sub(/[ \t\n]*$/, "", name)
                sub(/.*[^A-Za-z_0-9]/, "", name)
                constants = constants "emu_grid_constant(&" name \
                            ", sizeof " name ");"
            }
        }
    }
    gsub(/emu_grid_mark_/, "", list)
    return list
}

# Removes __launch_bounds__ and __cluster_dims__ from a head.
function take_bounds(head,   k, open, end, w, args) {
    while (match(head, /emu_(bounds|cluster)_mark_/)) {
        k = RSTART
        w = substr(head, k, RLENGTH)
        open = past_blank(head, k + RLENGTH)
        end = find_outside(head, open + 1, ")")
        args = substr(head, open + 1, end - open - 1)
        if (w == "emu_bounds_mark_") {
            bounds = args
        } else {
            clusters = args
        }
        head = substr(head, 1, k - 1) newlines(substr(head, k, end - k)) \
               substr(head, end + 1)
    }
    return head
}

function note_clusters(name) {
    if (clusters != "") {
        cluster_of[name] = clusters
        clusters = ""
    }
}

# Marks of bounds before __global__.
function do_early_bounds(s, i,   end) {
    end = find_outside(s, i, "(")
    end = end ? find_outside(s, end + 1, ")") : 0
    if (end) {
        out = out take_bounds(substr(s, i, end - i + 1))
        return end + 1
    }
    return 0
}

# ---- Lines -----------------------------------------------------------------

# Translates s into `out`. Returns 0 if a construct continues after its end.
function translate(s,   i, n, c, w) {
    out = ""
    n = length(s)
    for (i = 1; i && i <= n;) {
        c = substr(s, i, 1)
        if (is_literal(s, i)) {
            w = past_literal(s, i)
            w = w ? w : n + 1
            out = out substr(s, i, w - i)
            i = w
        } else if (c ~ /[A-Za-z_]/) {
            w = word_at(s, i)
            if (w ~ /^(asm|__asm__|__asm)$/ && \
                (out !~ /[A-Za-z_0-9\]][ \t\n]*$/ || \
                 out ~ /(^|[^A-Za-z_0-9])(else|do)[ \t\n]*$/)) {
                i = do_asm(s, i)
            } else if (w == "emu_shared_mark_") {
                i = do_shared(s, i)
            } else if (w == "emu_device_mark_") {
                i = do_device(s, i)
            } else if (w == "emu_global_mark_") {
                i = do_kernel(s, i)
            } else if (w ~ /^emu_(bounds|cluster)_mark_$/) {
                i = do_early_bounds(s, i)
            } else {
                out = out w
                i += length(w)
            }
        } else if (c == "<" && substr(s, i, 3) == "<<<") {
            i = do_launch(s, i)
        } else {
            out = out c
            i++
        }
    }
    return i
}

# Most marks are on one-line functions: removed at once.
function is_plain(line) {
    return line !~ /emu_(shared|global|bounds|cluster)_mark_|<<</ &&
           line !~ /(^|[^A-Za-z_0-9])(asm|__asm__|__asm)([^A-Za-z_0-9]|$)/ &&
           (line !~ /emu_device_mark_/ ||
            (line ~ /emu_device_mark_[^;=\[{(]*\(/ &&
             line !~ /emu_device_mark_[^;=\[{(]*(__attribute__|alignas)/))
}

function put(text) {
    print text
    tail = behind_statement(tail text "\n")
    tail = length(tail) > 4000 ? "" : tail
}

/^# [0-9]+ "/ {
    system_file = $0 ~ /" .*3/
}
# A line that may end with a kernel's name waits for the next one.
waiting != "" {
    if ($0 ~ /^[ \t]*<<</) {
        held = waiting
    } else {
        put(waiting)
    }
    waiting = ""
}
system_file && held == "" {
    print
    next
}
held == "" && is_plain($0) {
    gsub(/emu_device_mark_/, "")
    if ($0 ~ /[A-Za-z_0-9>][ \t]*$/) {
        waiting = $0
    } else {
        put($0)
    }
    next
}
{
    held = held == "" ? $0 : held "\n" $0
    if (translate(held)) {
        put(out)
        held = ""
    }
}
END {
    if (waiting != "") {
        print waiting
    }
    if (held != "") {
        print held
    }
    for (name in cluster_of) {
        print "__attribute__((constructor)) static void emu_cluster_" name \
              "_() { emu_cluster_of(\"" name "\", dim3(" cluster_of[name] \
              ")); }"
    }
}
