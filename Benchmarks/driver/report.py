"""Tables of what was measured, as aligned text that is Markdown, too."""

from contest import Outcome
from figures import medians, ratios


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table whose columns stand straight; all but the first are aligned to the right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]

    def shown(line: list[str]) -> str:
        cells = [cell.rjust(width) if index else cell.ljust(width) for index, (cell, width) in enumerate(zip(line, widths))]
        return f"| {' | '.join(cells)} |"

    rule = "| " + " | ".join("-" * width if index == 0 else "-" * (width - 1) + ":" for index, width in enumerate(widths)) + " |"
    return "\n".join([shown(head), rule, *map(shown, rows)])


def outcome_table(outcome: Outcome) -> str:
    """A scenario's table: medians, and the ratios to its reference."""
    scenario = outcome.scenario
    head = [scenario.title, "wall s", "CPU s", "peak MB", "items/s", "× wall", "× CPU"]
    reference = outcome.runs.get(scenario.reference)
    rows = []
    for contender in scenario.contenders:
        runs = outcome.runs.get(contender.name)
        name = f"**{contender.name}**" if contender.name.startswith("feedsync") else contender.name
        if not runs:
            rows.append([name, *["–"] * 6])
            continue
        middle = medians(runs)
        wall, cpu = ratios(runs, reference) if reference else (None, None)
        rows.append([
            name, f"{middle.wall:.3f}", f"{middle.cpu:.3f}", f"{middle.peak:.0f}", f"{scenario.pages.items / middle.wall:,.0f}",
            ratio(wall), ratio(cpu),
        ])
    return table(head, rows)


def ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
