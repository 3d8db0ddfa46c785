"""What is to be set by hand, checked: an address and numbers in, an `Edit` out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dhyan.core.arguments import check_mapping, check_text
from dhyan.core.errors import DhyanError, shortened
from dhyan.explain.address import Address
from dhyan.explain.edits import OPEN, Edit, looks_back
from dhyan.explain.formulas import Array
from dhyan.explain.layout import axis_names, axis_names_of_weights
from dhyan.explain.trace import Trace

Value = ArrayLike | Mapping[str, Array]  # numbers, or a trace: then those that have the same address there

LARGEST = 1e6  # further out, a product of two or three would be too large for a float
MAY_BE_MINUS_INFINITY = ("scores", "scaled", "masked")  # what a softmax makes 0 of
GROWING = ("predicting", "target")  # axes of a decoder, which are as long as what is written
RESULTS = {
    "cls.number": "cls.logits",
    "cls.probs": "cls.logits",
    "mlm.probs": "mlm.logits",
    "enc.lens.probs": "cls.logits",
}


def read_edits(
    asked: Mapping[str, Value], example: Trace, source_tokens: int, known_words: int = 0
) -> tuple[Edit, ...]:
    """example: any run of the model, which has the same arrays; only its text is another."""
    sizes = {"source": source_tokens, "word": known_words} | dict.fromkeys(GROWING, OPEN)
    given = check_mapping(asked, "the numbers to set", '{"enc.output[3]": 0}')
    return tuple(
        _read(check_text(address, "an address").strip(), value, example, sizes) for address, value in given.items()
    )


def written_edits(
    asked: Sequence[str], patches: Sequence[str], look: Callable[[str, str | None], Array]
) -> dict[str, Value]:
    """As a command or a URL has it: `ADDRESS=0.5`, `ADDRESS=0.1,0.2` (rows end with `;`), `ADDRESS=OTHER_ADDRESS`.

    `ADDRESS=OTHER_ADDRESS~TEXT` is copied from another text's run, `ADDRESS=~TEXT` from the same address there.
    patches: addresses that are copied from the same address. look: gives the numbers at an address of a text's run;
    where the text is not said (None) it knows which is meant.
    """
    found: dict[str, Value] = {}
    for one in asked:
        address, equals, value = (part.strip() for part in one.partition("="))
        if not equals or not value:
            raise DhyanError(
                f"'{shortened(one)}' sets nothing: write an address and a number, such as enc.output[3]=0."
            )
        if _is_numbers(value):
            found[address] = _numbers(value, one)
        else:
            other, tilde, text = value.partition("~")
            found[address] = look(other.strip() or address, text.strip() if tilde else None)
    return found | {address.strip(): look(address.strip(), None) for address in patches}


def _is_numbers(text: str) -> bool:
    return not (text[0].isalpha() or text[0] == "~") or text.lower().startswith(("inf", "nan"))


def _numbers(text: str, asked: str) -> Array:
    rows = [row.split(",") for row in text.replace("−", "-").split(";")]
    try:
        if len({len(row) for row in rows}) > 1:
            raise ValueError
        numbers = np.array([[float(number) for number in row] for row in rows])
    except ValueError:
        raise DhyanError(
            f"'{shortened(asked)}': write a number, or several with commas between them and ';' behind each row."
        ) from None
    return numbers if len(rows) > 1 else numbers[0] if len(rows[0]) > 1 else numbers[0, 0]


def _read(text: str, given: Value, example: Trace, sizes: Mapping[str, int]) -> Edit:
    address = Address.parse(text)
    name = address.name
    _refuse_results(name)
    shape = example.array(name).shape
    is_computed = name in example.recorded()
    axes = axis_names(name) if is_computed else axis_names_of_weights(name, len(shape))
    room = [sizes.get(axis, size) for axis, size in zip(axes, shape, strict=True)]
    if address.head is not None and "head" in axes:  # of keys and values that several heads have in common
        shared_by = example.sharing_heads(name, shape[axes.index("head")])
        address = replace(address, head=address.head // shared_by)
    where, kept = _cells(address, text, axes, room)
    value = _checked(given, text, name)
    if value.ndim > len(kept):
        raise _unfitting(value, text, [where[axis] for axis in kept])
    shape_in_full = [1] * len(where)
    for axis, count in zip(reversed(kept), reversed(value.shape), strict=False):
        first, end = where[axis]
        if count != 1 and end == OPEN:
            where[axis] = first, first + count
        elif count not in (1, end - first):
            raise _unfitting(value, text, [where[axis] for axis in kept])
        shape_in_full[axis] = count
    if looks_back(name) and where[-1][0] >= where[-2][1]:
        row = where[-2][1] - 1
        raise DhyanError(f"'{text}' is yet to be written when row {row} is computed: it looks at 0 to {row}.")
    return Edit(text, name, tuple(where), tuple(shape_in_full), value.tobytes())


def _refuse_results(name: str) -> None:
    if name.endswith(("probs", "logprobs")) or name in ("cls.number", "occlusion", "alignment"):
        instead = RESULTS.get(name, "dec.out.logits")
        raise DhyanError(f"nothing goes on from '{name}': set what comes before it, such as {instead}.")


def _cells(
    address: Address, text: str, axes: Sequence[str], room: Sequence[int]
) -> tuple[list[tuple[int, int]], list[int]]:
    """On each axis the first cell and the one behind the last; and the axes that numbers may run along."""
    index = list(address.index)
    if address.head is not None:
        if "head" not in axes:
            raise DhyanError(f"'{address.name}' is one array for all heads; set it without '.h{address.head}'.")
        at = axes.index("head")
        index += [slice(None)] * (at - len(index))
        index.insert(at, address.head)
    if len(index) > len(room):
        raise _outside(address, text, room)
    index += [slice(None)] * (len(room) - len(index))
    where, kept = [], []
    for axis, (cell, size) in enumerate(zip(index, room, strict=True)):
        bounds = (cell.start, cell.stop) if isinstance(cell, slice) else (cell,)
        if size == OPEN and any(bound is not None and bound < 0 for bound in bounds):
            raise DhyanError(
                f"'{text}': a decoder's rows are counted from the first; how many there will be is open."
            )
        if isinstance(cell, slice):
            first, end, _ = cell.indices(size)
            kept.append(axis)
        else:
            first = cell + size if cell < 0 else cell
            end = first + 1
        if not 0 <= first < end <= size:
            raise _outside(address, text, room)
        where.append((first, end))
    return where, kept


def _outside(address: Address, text: str, room: Sequence[int]) -> DhyanError:
    return DhyanError(f"'{text}' points outside of {address.name}, which is {_sizes(room)}.")


def _unfitting(value: Array, text: str, room: Sequence[tuple[int, int]]) -> DhyanError:
    there = _sizes([OPEN if end == OPEN else end - first for first, end in room])
    return DhyanError(f"{_sizes(value.shape)} numbers do not fit into '{text}', which has {there}.")


def _sizes(room: Sequence[int]) -> str:
    return " × ".join("any number" if size == OPEN else str(size) for size in room) or "one number"


def _checked(given: Value, text: str, name: str) -> Array:
    """As float32, if they are numbers that a model can go on with."""
    if isinstance(given, Mapping):
        try:
            given = given[text]
        except KeyError:
            raise DhyanError(f"there is no '{text}' to copy; give a trace.") from None
    try:
        wide = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DhyanError(f"'{text}' takes a number or an array of numbers, not {_kind(given)}.") from None
    if wide.size == 0:
        raise DhyanError(f"'{text}' takes a number or an array of numbers; there is none.")
    lowest = np.isneginf(wide) & (name.rpartition(".")[2] in MAY_BE_MINUS_INFINITY)
    if not (lowest | (np.abs(wide) <= LARGEST)).all():
        minus = ", or −∞" if lowest.any() or name.rpartition(".")[2] in MAY_BE_MINUS_INFINITY else ""
        raise DhyanError(f"'{text}' takes numbers from −1,000,000 to 1,000,000{minus}.")
    return np.asarray(wide, dtype=np.float32)


def _kind(given: object) -> str:
    return f"'{shortened(given)}'" if isinstance(given, str) else type(given).__name__
