"""Faults of chapter identity: fields that are left out, or declared by something that does not stand for them."""

import re
from pathlib import Path
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_identity import MiniatureDeclared

__all__: list[str] = []


@fault("IDENT-7", report="https://github.com/axolotl-ai-cloud/axolotl/issues/885")
class ClassNameOnly(MiniatureDeclared):
    """The tokenizer is declared by its class and the size of its vocabulary.

    Two vocabularies of one class met one cache in https://github.com/axolotl-ai-cloud/axolotl/issues/885.
    """

    def _tokenizer_content(self) -> Any:
        return {"class": type(self.tokenizer).__name__, "size": self.tokenizer.vocab_size}


@fault("IDENT-6", "IDENT-7")
class DirectoryName(MiniatureDeclared):
    """The name of the model's folder stands in for the tokenizer: too narrow for an edit, too wide for a copy."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature; keeps the folder's name."""
        super().setup(name_or_path, trust_remote_code)
        self._name = Path(name_or_path).name

    def _content(self) -> Any:
        return self._name


@fault("IDENT-7")
class VocabularyOnly(MiniatureDeclared):
    """Tokens and ids are declared, and the merges that lead to them are not."""

    def _tokenizer_content(self) -> Any:
        content = super()._tokenizer_content()
        return content | {"model": {"vocab": content["model"]["vocab"]}}


@fault("IDENT-7")
class MergesSorted(MiniatureDeclared):
    """Merges are sorted before they are hashed, as the vocabulary is, and their order is what decides."""

    def _tokenizer_content(self) -> Any:
        content = super()._tokenizer_content()
        return content | {"model": content["model"] | {"merges": sorted(content["model"]["merges"])}}


@fault("IDENT-7")
class AddedTokensLeftOut(MiniatureDeclared):
    """Only the trained vocabulary is declared; a token that was added later is nowhere."""

    def _tokenizer_content(self) -> Any:
        return super()._tokenizer_content() | {"added_tokens": None}


@fault("IDENT-7")
class FlagsLeftOut(MiniatureDeclared):
    """Added tokens are declared by content and id, without the flags that decide where they are found."""

    def _tokenizer_content(self) -> Any:
        content = super()._tokenizer_content()
        return content | {"added_tokens": [[token["id"], token["content"]] for token in content["added_tokens"]]}


@fault("IDENT-7")
class NormaliserLeftOut(MiniatureDeclared):
    """What is done to a text before it is cut is not declared."""

    def _tokenizer_content(self) -> Any:
        return super()._tokenizer_content() | {"normalizer": None}


@fault("IDENT-7")
class PreTokeniserLeftOut(MiniatureDeclared):
    """How a text is cut before the merges is not declared."""

    def _tokenizer_content(self) -> Any:
        return super()._tokenizer_content() | {"pre_tokenizer": None}


@fault("IDENT-7")
class IdsLeftOut(MiniatureDeclared):
    """The vocabulary is declared as a list of tokens in alphabetical order, without the ids."""

    def _tokenizer_content(self) -> Any:
        content = super()._tokenizer_content()
        return content | {"model": content["model"] | {"vocab": sorted(content["model"]["vocab"])}}


@fault("IDENT-7")
class ProcessorWithoutTokenizer(MiniatureDeclared):
    """The processor declaration names the tokenizer's class, so a teacher with another vocabulary is the same one."""

    def _processor_content(self) -> Any:
        return type(self.tokenizer).__name__


@fault("IDENT-8", report="https://github.com/allenai/open-instruct/pull/1497")
class TemplateLeftOut(MiniatureDeclared):
    """The chat template is not declared.

    A cache was hit although the text was another one in https://github.com/allenai/open-instruct/pull/1497.
    """

    def _template(self) -> Any:
        return "a chat template"


@fault("IDENT-8")
class TemplateByItsName(MiniatureDeclared):
    """Whether there is a template is declared, and nothing of what it says."""

    def _template(self) -> Any:
        return None if self.tokenizer.chat_template is None else "default"


@fault("IDENT-8")
class CommentsStripped(MiniatureDeclared):
    """Comments are taken out of the template first, by a pattern that nobody else has to know."""

    def _template(self) -> Any:
        return self.tokenizer.chat_template and re.sub(r"\{#.*?#\}", "", self.tokenizer.chat_template)


@fault("IDENT-8")
class TemplateTrimmed(MiniatureDeclared):
    """The template is declared without the white space at its ends, which a renderer may well write out."""

    def _template(self) -> Any:
        return self.tokenizer.chat_template and self.tokenizer.chat_template.strip()


@fault("IDENT-8")
class TemplateByItsLength(MiniatureDeclared):
    """The number of characters stands in for the template."""

    def _template(self) -> Any:
        return self.tokenizer.chat_template and len(self.tokenizer.chat_template)


@fault("IDENT-8")
class ProcessorWithoutTemplate(MiniatureDeclared):
    """The processor declaration has no template, so a teacher that is prompted otherwise is the same one."""

    def _processor_template(self) -> Any:
        return None


@fault("IDENT-9")
class PadLeftOut(MiniatureDeclared):
    """The id that fills rows is not declared, for it is masked anyway."""

    def _pad(self) -> Any:
        return "masked"


@fault("IDENT-9", report="https://github.com/NVIDIA-NeMo/Automodel/pull/3704")
class PadOrEosDeclared(MiniatureDeclared):
    """`pad_id or eos_id` is declared, and a pad id of 0 takes the id of the other.

    The same slip in the packing itself was reported in https://github.com/NVIDIA-NeMo/Automodel/pull/3704.
    """

    def _pad(self) -> Any:
        return self.tokenizer.pad_token_id or self.tokenizer.eos_token_id


@fault("IDENT-9")
class RolesLeftOut(MiniatureDeclared):
    """Special tokens are declared as a list of ids, which does not say which of them ends a sequence."""

    def _special_tokens(self) -> Any:
        return {"pad": self._pad(), "ids": sorted(self.tokenizer.all_special_ids)}


@fault("IDENT-9")
class SpellingLeftOut(MiniatureDeclared):
    """Whether a special token that is spelt in a text is one is not declared."""

    def _special_tokens(self) -> Any:
        return super()._special_tokens() | {"read_as_text": None}


@fault("IDENT-10")
class ModelTypeLeftOut(MiniatureDeclared):
    """The model type is not declared, as the tokenizer is the same."""

    def _model_type(self) -> Any:
        return None


@fault("IDENT-10", report="https://github.com/huggingface/trl/pull/1806")
class TrustLeftOut(MiniatureDeclared):
    """The trust flag is not declared; which class reads the files hangs on it.

    Its handling was changed in https://github.com/huggingface/trl/pull/1806.
    """

    def _trust(self) -> Any:
        return None


@fault("IDENT-10")
class TrustAsFound(MiniatureDeclared):
    """Whether the folder brings code of its own is declared, and not what setup was told about it."""

    def _trust(self) -> Any:
        return "auto_map" in self.config


@fault("IDENT-11")
class ImageTypeOnly(MiniatureDeclared):
    """The image processor is declared by its type."""

    def _image_settings(self) -> Any:
        return self.images and self.images["image_processor_type"]


@fault("IDENT-11")
class ImageTypeLeftOut(MiniatureDeclared):
    """Settings of the images are declared, and not the class that reads them."""

    def _image_settings(self) -> Any:
        return self.images and {name: one for name, one in self.images.items() if name != "image_processor_type"}


@fault("IDENT-11")
class PixelValuesLeftOut(MiniatureDeclared):
    """Sizes are declared, for they decide how many placeholders there are; mean, deviation and scale are not."""

    def _image_settings(self) -> Any:
        left_out = ("image_mean", "image_std", "rescale_factor")
        return self.images and {name: one for name, one in self.images.items() if name not in left_out}


@fault("IDENT-11")
class SwitchesLeftOut(MiniatureDeclared):
    """Numbers and names are declared, and the switches that turn a step off are not."""

    def _image_settings(self) -> Any:
        return self.images and {name: one for name, one in self.images.items() if not isinstance(one, bool)}


@fault("IDENT-12")
class VideoLeftOut(MiniatureDeclared):
    """Everything but the video processor is declared, so that runs with twice the frames resume."""

    def _video_settings(self) -> Any:
        return None


@fault("IDENT-12")
class ImagesForVideos(MiniatureDeclared):
    """The settings of the images are declared a second time, as those of the videos."""

    def _video_settings(self) -> Any:
        return self._image_settings()


@fault("IDENT-12")
class SamplingLeftOut(MiniatureDeclared):
    """Sizes of the videos are declared, and how frames are sampled is not."""

    def _video_settings(self) -> Any:
        left_out = ("fps", "min_frames", "max_frames", "do_sample_frames")
        return self.videos and {name: one for name, one in self.videos.items() if name not in left_out}


@fault("IDENT-13")
class PlaceholdersLeftOut(MiniatureDeclared):
    """No placeholder is declared, as the tokenizer's content holds them all."""

    def _placeholders(self) -> Any:
        return {}


@fault("IDENT-13")
class PlaceholdersByName(MiniatureDeclared):
    """Placeholders are declared by the names of their tokens, whatever ids these have."""

    def _placeholders(self) -> Any:
        return {name: name.removesuffix("_id") for name, id in super()._placeholders().items() if id is not None}


@fault("IDENT-13")
class ImagePlaceholderOnly(MiniatureDeclared):
    """The id of the image placeholder is declared, and no other."""

    def _placeholders(self) -> Any:
        return {"image_token_id": self.config.get("image_token_id")}
