"""The page on schemas lists what there is, in the schemas' own words."""

import re
from pathlib import Path

from packer_schemas import load_schema, schema_names
from packproof.validation.data_files import MAX_LINE

PAGE = (Path(__file__).parents[2] / "docs" / "schemas.md").read_text(encoding="utf-8")


def test_the_table_has_a_line_for_every_schema() -> None:
    """Every schema but those of the vectors is in the table, with the first sentence of its description."""
    rows = dict(re.findall(r"^\| `([a-z][a-z-]+)` \| (.*) \|$", PAGE, re.MULTILINE))
    names = [name for name in schema_names() if not name.startswith("vectors-")]
    assert rows == {name: load_schema(name)["description"].partition("\n")[0] for name in names}


def test_the_limit_of_a_line_is_the_one_that_holds() -> None:
    """The page quotes the number of bytes beyond which a line is skipped."""
    assert f"a line of more than {MAX_LINE // 2**20} MiB" in PAGE
