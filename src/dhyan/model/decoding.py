"""How the next token is chosen, as settings: greedy, beam, or by chance; and what comes of it."""

from dataclasses import dataclass

from pydantic import Field

from dhyan.settings import Settings
from dhyan.special import END


class Decoding(Settings):
    """Beam search unless `sample` is set; a beam of 1 is greedy."""

    beam: int = Field(4, ge=1, le=64, description="hypotheses kept at each step; 1 is greedy")
    length_penalty: float = Field(1.0, ge=0, le=5, description="scores are divided by length to this power")
    alternatives: int = Field(1, ge=1, le=64, description="how many results to return, best first")
    max_length: int | None = Field(None, ge=1, description="most tokens to generate; unset: from the input's length")
    sample: bool = Field(False, description="draw tokens by chance instead of searching for the likeliest")
    temperature: float = Field(1.0, gt=0, le=100, description="below 1 plays safe, above 1 takes risks")
    top_k: int = Field(0, ge=0, description="draw only among the k likeliest tokens; 0 for all")
    top_p: float = Field(1.0, gt=0, le=1, description="draw only among the likeliest that add up to p")
    seed: int = Field(0, ge=0, lt=2**32, description="the same seed draws the same tokens")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One possible result of a generation."""

    ids: list[int]  # without start and end
    score: float  # log-probability, divided by length ** length_penalty; the end mark counts as a token
    ended: bool  # by its end mark; False: cut off at the length limit

    @classmethod
    def of(cls, tokens: list[int], score: float) -> "Hypothesis":
        """tokens: all that were written, the end mark last if there is one."""
        ended = tokens[-1:] == [END]
        return cls(tokens[:-1] if ended else tokens, score, ended)

    @property
    def length(self) -> int:
        """The tokens that the score is made of."""
        return len(self.ids) + self.ended
