"""How numbers and other people's texts are put into lines that somebody reads."""

__all__ = ["one_line", "plural", "printable"]


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
