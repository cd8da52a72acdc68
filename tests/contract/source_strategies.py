"""Strategies for the settings of data sources: one selector at most, and keyword arguments for factories alone."""

from typing import Any

from case_strategies import json_objects, names
from hypothesis import strategies as st

from packer_schemas import PreferenceSourceSettings, PromptSourceSettings

nothing = st.sampled_from([{}, {"factory": None}, {"factory": ""}])
factories = st.fixed_dictionaries({"factory": names}, optional={"factory_kwargs": json_objects})
columns = st.none() | st.text(max_size=8)
modes: dict[str, Any] = {"cursor_resume": st.sampled_from(["off", "auto", "strict"])}


def _selecting(**selectors: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Nothing, a factory, or one of the selectors of the built-in sources."""
    return st.one_of(nothing, factories, *[st.fixed_dictionaries({name: own}) for name, own in selectors.items()])


prompt_settings = st.builds(
    lambda selected, rest: PromptSourceSettings.model_validate({**selected, **rest}),
    _selecting(path=names, name=names),
    st.fixed_dictionaries(
        {},
        optional={
            "prompt_column": names,
            **dict.fromkeys(["response_column", "image_column", "video_column", "id_column", "items_fn"], columns),
            "metadata_columns": st.lists(names, max_size=2),
            **modes,
        },
    ),
)
preference_settings = st.builds(
    lambda selected, rest: PreferenceSourceSettings.model_validate({**selected, **rest}),
    _selecting(jsonl_path=names, tar_path=names, synthetic_pairs=st.integers(0, 2**40)),
    st.fixed_dictionaries({}, optional={"shuffle": st.booleans(), **modes}),
)
