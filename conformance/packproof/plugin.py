"""The pytest plugin: its options, and nothing else until one of them is used.

Every pytest run of an environment imports this module, so it imports only what pytest has imported already.
"""

import pytest

__all__ = ["OPTIONS", "pytest_addoption", "pytest_configure"]

OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("packer", "append", "prove this packer: module:factory, or label=module:factory; repeatable"),
    ("packer-model", "append", "model folder or id to run it on; repeatable; default: the embedded tiny models"),
    ("packer-trust-remote-code", "store_true", "set it up with trust_remote_code=True"),
    ("packer-selection", "store", "module with init_data_packer, build_packer and register, for the selection rules"),
    ("packer-gate", "store", "module:factory of a resume gate, for the rules on binding an identity to a checkpoint"),
    ("packer-routing", "store", "module that carries recorded routing around the packer, for the rules of routing"),
    ("source", "append", "prove this data source: module:factory, or label=module:factory; repeatable"),
    ("source-kwargs", "append", "keyword argument of the source's factory, NAME=VALUE, the value as JSON; repeatable"),
    ("source-run", "store", "module:factory of what takes sources in, for the rules that bind a run"),
    ("rollout", "append", "prove this rollout body: module:factory, or label=module:factory; repeatable"),
    ("objective", "append", "prove this objective: module:factory, or label=module:factory; repeatable"),
    ("trainer", "append", "prove the parts of this trainer: module:factory, or label=module:factory; repeatable"),
    ("packer-spec", "store", "version of the spec to hold it to, such as 0.1; default: the newest"),
    ("packer-level", "append", "level to hold it to; repeatable; default: core"),
    ("packer-select", "append", "only these rules or chapters: MASK-2, MASK, or several with commas; repeatable"),
    ("packer-effort", "store", "quick, standard (default) or deep"),
    ("packer-seed", "store", "seed of generated cases; default 0 (deep: a new one, printed)"),
    ("packer-replay", "append", "run only this case file; repeatable"),
    ("packer-known", "store", "TOML file of known failures with their witnesses"),
    ("packer-report", "store", "write the JSON report to this file"),
    ("packer-lock", "store", "hold the packers to this lock file, as `packproof lock` writes it"),
)
"""Name, argparse action and help of every option; the same names are keys of `[tool.packproof]`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, `None` meaning not given, so that `[tool.packproof]` can supply them."""
    group = parser.getgroup("packproof", "packproof: prove a data packer")
    for name, action, text in OPTIONS:
        extra = {} if action == "store_true" else {"metavar": name.rpartition("-")[2].upper()}
        group.addoption(f"--{name}", action=action, default=None, help=text, **extra)


def pytest_configure(config: pytest.Config) -> None:
    """Join the run when something to prove is named, on the command line or in `[tool.packproof]`."""
    if any(getattr(config.option, name.replace("-", "_")) for name, _, _ in OPTIONS) or _configured(config):
        from packproof.pytest_run import join

        join(config)


def _configured(config: pytest.Config) -> bool:
    try:
        text = (config.rootpath / "pyproject.toml").read_text(encoding="utf-8")
        if "packproof" not in text:
            return False
        import tomllib

        return "packproof" in tomllib.loads(text).get("tool", {})
    except (OSError, ValueError):
        return False
