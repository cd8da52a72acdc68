"""The raw sample a packer is handed."""

from typing import Annotated, Any, NotRequired

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, with_config
from typing_extensions import TypedDict

from packer_schemas.conversation import Prompt

__all__ = ["ObsBundle", "Representations"]


@with_config(ConfigDict(extra="allow"))
class Representations(TypedDict):
    """Named views of one sample; `prompt` is the canonical one."""

    prompt: Annotated[Prompt, Field(description="A raw string, or a conversation for the chat template.")]
    reference: NotRequired[Annotated[Any, Field(description="What an answer is scored against, in any form.")]]


class ObsBundle(BaseModel):
    """One raw sample: `representations["prompt"]` is a string or a conversation of plain dicts."""

    model_config = ConfigDict(extra="forbid")

    representations: SerializeAsAny[Representations] = Field(description="Named views of the sample.")
