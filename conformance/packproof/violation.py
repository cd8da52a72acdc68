"""What can go wrong while a case runs, kept apart: the packer's fault, the case's, the user's, and ours."""

from packer_schemas.report import Counterexample, Row

__all__ = [
    "CallFailed",
    "CaseTimeout",
    "HarnessError",
    "NotTested",
    "OutOfReach",
    "PackerExit",
    "Unexercised",
    "UsageError",
    "Violation",
]


class Violation(Exception):
    """The packer broke the rule; `counterexample` says how. Each check raises a subclass of its own."""

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(counterexample.fault or counterexample.call)
        self.counterexample = counterexample

    @classmethod
    def of(
        cls,
        call: str,
        *,
        rows: dict[str, list[int] | list[str]] | None = None,
        expected: object = "",
        got: object = "",
        fault: str = "",
    ) -> "Violation":
        """A violation from plain values; `rows` are lines of one table of positions, in order."""
        table = [Row(name=name, values=list(values)) for name, values in (rows or {}).items()]
        return cls(Counterexample(call=call, rows=table, expected=str(expected), got=str(got), fault=fault))


class CallFailed(Violation):
    """The packer raised, exited or hung where the contract promises an answer; `advice` says what to do about it."""

    def __init__(self, call: str, got: str, expected: str = "an answer", advice: str = "", *, fault: str = "") -> None:
        super().__init__(Counterexample(call=call, expected=expected, got=got, fault=fault, crash=True))
        self.advice = advice

    def told(self, *, call: str = "", fault: str = "") -> "CallFailed":
        """The same failure with more said of the call, or with a name for what brought it about."""
        found = self.counterexample
        return CallFailed(call or found.call, found.got, found.expected, self.advice, fault=fault or found.fault)


class CaseTimeout(BaseException):
    """A case ran past its limit. Not an `Exception`, so that a packer cannot swallow it."""


class PackerExit(BaseException):
    """The packer tried to end the process with `os._exit`; `code` is what it passed."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Unexercised(Exception):
    """This case cannot show the rule on this packer, which claims nothing of the kind; the message says why."""


class NotTested(Unexercised):
    """This case cannot show the rule although the packer claims what it speaks of; the message says why."""


class OutOfReach(NotTested):
    """No case of this kind can be tried on this packer or source, whatever it holds; the message says why."""


class HarnessError(Exception):
    """packproof itself broke; never blamed on the packer."""


class UsageError(Exception):
    """A mistake in an option, a path or a file: what was given, what was expected, what to do."""
