"""How the next token is chosen, as settings: greedy, beam, or by chance; and what comes of it."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from dhyan.core.settings import Settings
from dhyan.core.special_tokens import END

# The bounds of what recipes, commands and the server set too.
Beam = Annotated[int, Field(ge=1, le=64)]
LengthPenalty = Annotated[float, Field(ge=0, le=5)]
LengthOffset = Annotated[int, Field(ge=0, le=100)]


class GenerationSettings(Settings):
    """Beam search unless `sample` is set; a beam of 1 is greedy."""

    beam: Beam = Field(4, description="hypotheses kept at each step; 1 is greedy")
    length_penalty: LengthPenalty = Field(1.0, description="scores are divided by length to this power")
    length_offset: LengthOffset = Field(0, description="added to the length first: more is gentler on short texts")
    alternatives: int = Field(1, ge=1, le=64, description="how many results to return, best first")
    max_length: int | None = Field(None, ge=1, description="most tokens to generate; unset: from the input's length")
    sample: bool = Field(False, description="sample tokens instead of beam search")
    temperature: float = Field(
        1.0, gt=0, le=100, description="sampling temperature: below 1 favours probable tokens, above 1 evens them out"
    )
    top_k: int = Field(0, ge=0, description="sample among the k most probable tokens; 0 for all")
    # The engines' float32 knows nothing below 1e-38.
    top_p: float = Field(1.0, ge=1e-6, le=1, description="sample among the most probable tokens that add up to p")
    seed: int = Field(0, ge=0, lt=2**32, description="the same seed samples the same tokens")

    def divisor(self, length: Any) -> Any:
        """What the log-probability of so many tokens, a number or a tensor, is divided by; one token's by 1.

        A power of the bare length makes two tokens so much better than one that single words grow. With an offset of
        5 it is the penalty of Wu et al., 2016.
        """
        return ((length + self.length_offset) / (1 + self.length_offset)) ** self.length_penalty

    @property
    def kept_by(self) -> float:
        """The power of the length by which `beam` of all that ended are kept, before the score ranks them.

        CTranslate2 knows powers only, and more may end in a last step than it keeps.
        """
        return self.length_penalty if not self.length_offset else 1.0

    def divisor_in_words(self, length: int) -> str:
        added, power = self.length_offset, f"{self.length_penalty:g}"
        return f"(({length} + {added}) / {1 + added})^{power}" if added else f"{length}^{power}"

    def log_probability(self, hypothesis: "Hypothesis") -> float:
        """Of all its tokens together: the division undone."""
        total: float = hypothesis.score * self.divisor(hypothesis.length)
        return total


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One possible result of a generation."""

    ids: list[int]  # without start and end
    score: float  # log-probability, divided by the length's divisor; the end mark counts as a token
    ended: bool  # by its end mark; False: cut off at the length limit

    @classmethod
    def of(cls, tokens: list[int], score: float, end: int = END) -> "Hypothesis":
        """tokens: all that were written, the end mark last if there is one."""
        ended = tokens[-1:] == [end]
        return cls(tokens[:-1] if ended else tokens, score, ended)

    @property
    def length(self) -> int:
        """The tokens that the score is made of; one at least, also of what was cut off at once."""
        return max(1, len(self.ids) + self.ended)
