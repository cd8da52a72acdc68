"""How numbers and other people's texts are put into lines that somebody reads."""

import textwrap

__all__ = ["LABEL", "WIDTH", "labelled", "one_line", "plural", "printable"]

WIDTH, LABEL = 100, 10
"""Columns of a line, and of the names in front of what it says."""


def plural(count: int, one: str, many: str = "") -> str:
    """The noun that goes with a number: `case` with 1, else `cases`, or `many` where an s will not do."""
    return one if count == 1 else many or f"{one}s"


def printable(text: str) -> str:
    """Text of somebody else's as no terminal and no file takes amiss: colours, controls, lone surrogates escaped."""
    return "\n".join(map(one_line, text.split("\n")))


def one_line(text: str) -> str:
    """The same in one line: what breaks a line is escaped as well."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def labelled(name: str, text: str, *, wrap: bool = True) -> str:
    """One line of a failure, `  call        get_policy_input(...)`, folded below itself at 100 columns if `wrap`."""
    indent = " " * (LABEL + 4)
    text = printable(text)
    folded = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False) if wrap else [text]
    return f"  {name.ljust(LABEL + 2)}" + f"\n{indent}".join(folded or [""])
