"""Conversations as packers receive them: plain lists of plain dicts, typed for validation and JSON Schema."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, SerializeAsAny, with_config
from typing_extensions import TypedDict

__all__ = ["Conversation", "ImagePart", "Message", "Part", "Prompt", "TextPart", "VideoFramesPart", "VideoPart"]


@with_config(ConfigDict(extra="forbid"))
class TextPart(TypedDict):
    """A run of text inside a message."""

    type: Annotated[Literal["text"], Field(description="Kind of part.")]
    text: Annotated[str, Field(description="The text, as the chat template gets it.")]


@with_config(ConfigDict(extra="forbid"))
class ImagePart(TypedDict):
    """One image: a handle (PIL image, array, path or URL) that rollout and policy side read alike."""

    type: Annotated[Literal["image"], Field(description="Kind of part.")]
    image: Annotated[
        Any, Field(description="Handle of the image: in Python also a PIL image or an array; in JSON a path or URL.")
    ]


class _VideoTiming(TypedDict):
    fps: NotRequired[Annotated[float, Field(gt=0, description="Frames per second of the source video.")]]
    total_num_frames: NotRequired[Annotated[int, Field(ge=1, description="Frames in the source video.")]]
    frames_indices: NotRequired[
        Annotated[
            list[Annotated[int, Field(ge=0)]], Field(description="Source index, counted from 0, of every frame given.")
        ]
    ]


@with_config(ConfigDict(extra="forbid"))
class VideoPart(_VideoTiming):
    """One video: a handle, or the list of its decoded frames with their timing."""

    type: Annotated[Literal["video"], Field(description="Kind of part.")]
    video: Annotated[
        Any,
        Field(description="Handle of the video, a path or URL in JSON, or the list of its frames as image handles."),
    ]


@with_config(ConfigDict(extra="forbid"))
class VideoFramesPart(_VideoTiming):
    """Decoded frames; an accepted alias of a `video` part that holds a frame list."""

    type: Annotated[Literal["video_frames"], Field(description="Kind of part.")]
    video: Annotated[list[Any], Field(description="The frames in order, as image handles; a path or URL each in JSON.")]


Part = Annotated[TextPart | ImagePart | VideoPart | VideoFramesPart, Field(discriminator="type")]


@with_config(ConfigDict(extra="allow"))
class Message(TypedDict):
    """One turn. Keys beside `role` and `content` (tool calls, reasoning) go to the chat template as they are."""

    role: Annotated[str, Field(description="Who speaks, as the chat template names them: `system`, `user` ...")]
    content: Annotated[str | list[Part], Field(description="What is said: a string, or parts in order.")]


Conversation = Annotated[
    SerializeAsAny[list[Message]],  # before 2.12 pydantic leaves extra keys of a typed dict out of what it writes
    Field(min_length=1, title="Conversation", description="A conversation: turns in order, oldest first."),
]
"""Turns in order, oldest first."""

Prompt = str | Conversation
"""What `representations["prompt"]` may hold: a raw string, or a conversation for the chat template."""
