"""Bar charts in SVG."""
import html
import math

COLOURS = ["#9aa0a6", "#5f6368", "#f28b82", "#fdd663", "#fbbc04", "#a78bfa",
           "#1a73e8"]


def svg(path, heading, groups, names, unit, line=None,
        colours=None):
    """Path and text of a bar chart.

    groups: (title, values), with a value or None for each name
    names: what the bars of a group are
    line: where a dashed line is drawn
    """
    colours = colours or COLOURS
    bar, left, top, height = 18, 60, 64, 220
    longest = max(len(text) for text, _ in groups)
    gap = max(26, 7 * longest - bar * len(groups[0][1]))
    width = left + sum(bar * len(v) + gap for _, v in groups) + 20
    width = max(width, 460)
    most = max([v for _, vs in groups for v in vs if v] + [line or 0]) * 1.05
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{top + height + 64 + 18 * ((len(names) + 2) // 3)}" '
           f'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="24" font-size="15">{html.escape(heading)}'
           '</text>',
           f'<text x="{left}" y="44" fill="#555">{html.escape(unit)}</text>']

    def y(value):
        return top + height * (1 - value / most)

    ten = 10 ** math.floor(math.log10(most / 4))
    step = min(n * ten for n in (1, 2, 2.5, 5, 10) if n * ten >= most / 5)
    for k in range(int(most / step) + 1):
        value = step * k
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(value):.1f}" '
                   f'y2="{y(value):.1f}" stroke="#e0e0e0"/>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" '
                   f'text-anchor="end">{value:g}</text>')
    x = left + gap / 2
    for text, values in groups:
        for k, value in enumerate(values):
            if value:
                out.append(
                    f'<rect x="{x + k * bar:.1f}" y="{y(value):.1f}" '
                    f'width="{bar - 2}" height="{top + height - y(value):.1f}"'
                    f' fill="{colours[k % len(colours)]}"><title>'
                    f'{html.escape(names[k])}: {value:.3g}</title></rect>')
        middle = x + bar * len(values) / 2
        out.append(f'<text x="{middle:.1f}" y="{top + height + 16}" '
                   f'text-anchor="middle">{html.escape(text)}</text>')
        x += bar * len(values) + gap
    if line:
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(line):.1f}" '
                   f'y2="{y(line):.1f}" stroke="#d93025" '
                   'stroke-dasharray="5 4"/>')
    for k, name in enumerate(names):
        lx = left + k % 3 * (width - left) / 3
        ly = top + height + 40 + k // 3 * 18
        out.append(f'<rect x="{lx:.0f}" y="{ly - 9}" width="10" height="10" '
                   f'fill="{colours[k % len(colours)]}"/><text '
                   f'x="{lx + 14:.0f}" y="{ly}">{html.escape(name)}</text>')
    return path, "\n".join(out + ["</svg>", ""])
