"""Conversations as packers receive them: plain lists of plain dicts, typed for validation and JSON Schema."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

__all__ = ["Conversation", "ImagePart", "Message", "Part", "Prompt", "TextPart", "VideoFramesPart", "VideoPart"]


@with_config(ConfigDict(extra="forbid"))
class TextPart(TypedDict):
    """A run of text inside a message."""

    type: Literal["text"]
    text: str


@with_config(ConfigDict(extra="forbid"))
class ImagePart(TypedDict):
    """One image: a handle (PIL image, array, path or URL) that rollout and policy side read alike."""

    type: Literal["image"]
    image: Any


class _VideoTiming(TypedDict):
    fps: NotRequired[Annotated[float, Field(gt=0, description="Frames per second of the source video.")]]
    total_num_frames: NotRequired[Annotated[int, Field(ge=1, description="Frames in the source video.")]]
    frames_indices: NotRequired[
        Annotated[list[Annotated[int, Field(ge=0)]], Field(description="Source index of every frame given.")]
    ]


@with_config(ConfigDict(extra="forbid"))
class VideoPart(_VideoTiming):
    """One video: a handle, or the list of its decoded frames with their timing."""

    type: Literal["video"]
    video: Any


@with_config(ConfigDict(extra="forbid"))
class VideoFramesPart(_VideoTiming):
    """Decoded frames; an accepted alias of a `video` part that holds a frame list."""

    type: Literal["video_frames"]
    video: list[Any]


Part = Annotated[TextPart | ImagePart | VideoPart | VideoFramesPart, Field(discriminator="type")]


@with_config(ConfigDict(extra="allow"))
class Message(TypedDict):
    """One turn. Keys beside `role` and `content` (tool calls, reasoning) go to the chat template as they are."""

    role: str
    content: str | list[Part]


Conversation = Annotated[list[Message], Field(min_length=1)]
"""Turns in order, oldest first."""

Prompt = str | Conversation
"""What `representations["prompt"]` may hold: a raw string, or a conversation for the chat template."""
