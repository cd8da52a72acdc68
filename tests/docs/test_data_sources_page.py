"""The page on data sources lists the settings that there are."""

import re
from pathlib import Path

from packer_schemas import PreferenceSourceSettings, PromptSourceSettings

PAGE = (Path(__file__).parents[2] / "docs" / "data-sources.md").read_text(encoding="utf-8")


def test_the_table_has_a_line_for_every_setting() -> None:
    """Each setting is there once, with the kind of source that has it."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (both|prompts|preferences) \|", PAGE, re.MULTILINE))
    prompts, preferences = PromptSourceSettings.model_fields, PreferenceSourceSettings.model_fields
    both = dict.fromkeys(prompts.keys() & preferences.keys(), "both")
    alone = dict.fromkeys(prompts, "prompts") | dict.fromkeys(preferences, "preferences")
    assert rows == alone | both
