"""Tiny Shakespeare, characters: how soon a validation loss of 1.4697 nats is reached, and how far below it one gets.

    python benchmarks/shakespeare.py input.txt                                    # on a GPU
    python benchmarks/shakespeare.py input.txt --try 1e-3:1800 --try 7e-4:2600   # learning rate : steps
    python benchmarks/shakespeare.py input.txt --small --try 3e-3:20              # a small model, for a CPU

As published: the first 90 % of the text to learn from, the last 10 % to judge; 6 layers, 6 heads, 384 numbers a
character, windows of 256 characters. The model, the optimizer, the schedule and the average of the weights are the
trainer's own. On a GPU a whole step is compiled and recorded once, then replayed.

The loss is the mean over every character of the last 10 % but its first, in float32: the text is cut into windows of
256 end to end, each character is predicted once, from those before it in its window (1 to 256 of them). Seconds
are those of training steps, after compiling; those of validations are told apart.
"""

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model.architecture import Architecture
from dhyan.model.layers import Dropout
from dhyan.model.transformer import Transformer
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.ema import WeightAverage
from dhyan.training.optimization import learning_rate, make_optimizer
from dhyan.training.precision import Bf16Worker
from dhyan.training.recipe import TrainingSettings

GOAL = 1.4697
SIZES = {"d_model": 384, "heads": 6, "d_ff": 1536, "decoder_layers": 6}
SMALL = {"d_model": 64, "heads": 2, "d_ff": 256, "decoder_layers": 2}
WINDOW = 256
WARM_UP = 3  # steps that are thrown away, before a step is recorded


def characters(file: Path, device: torch.device) -> tuple[Tensor, Tensor, int]:
    """The ids of the first 90 % and of the rest, and how many different ones there may be."""
    text = file.read_text(encoding="utf-8")
    border = int(0.9 * len(text))
    tokenizer = Tokenizer.train([text[:border]], TextSettings(pieces="characters"), 1_000_000, exact=False)
    parts = [torch.tensor(tokenizer.encode(part), device=device) for part in (text[:border], text[border:])]
    if sum(map(len, parts)) != len(text):
        raise SystemExit("a character of the last tenth is not in the rest: the loss would not be that of characters")
    return parts[0], parts[1], tokenizer.size


def windows(text: Tensor, batch: int, seed: int) -> Iterator[Tensor]:
    """(batch, WINDOW + 1): all of the text an epoch, in another order and cut at other places every time."""
    random = torch.Generator().manual_seed(seed)
    inside = torch.arange(WINDOW + 1, device=text.device)
    while True:
        shift = int(torch.randint(WINDOW, (), generator=random))
        count = (len(text) - shift - 1) // WINDOW
        starts = (shift + torch.randperm(count, generator=random) * WINDOW).to(text.device)
        for begin in range(0, count - batch + 1, batch):
            yield text[starts[begin : begin + batch, None] + inside]


def next_character(model: Transformer, ids: Tensor) -> Tensor:
    """The mean loss of ids[:, 1:], each from those before it."""
    logits = model(ids[:, :-1])  # (batch, window, vocabulary)
    return F.cross_entropy(logits.flatten(0, 1).float(), ids[:, 1:].flatten())


@torch.inference_mode()
def judge(model: Transformer, text: Tensor) -> float:
    """The loss over all of the text, see above."""
    model.eval()
    whole = (len(text) - 1) // WINDOW
    starts = torch.arange(whole, device=text.device)[:, None] * WINDOW
    cut = text[starts + torch.arange(WINDOW + 1, device=text.device)]  # (windows, WINDOW + 1)
    rest = text[whole * WINDOW :][None]
    parts = [*cut.tensor_split(tuple(range(64, whole, 64))), *([rest] if rest.shape[1] > 1 else [])]
    total = sum(float(next_character(model, part)) * part[:, 1:].numel() for part in parts)
    model.train()
    return total / (len(text) - 1)


class Training:
    """A model and its step, made once, begun anew for every try."""

    def __init__(self, options: argparse.Namespace, vocabulary: int, device: torch.device) -> None:
        self.options, self.device = options, device
        sizes = SMALL if options.small else SIZES
        self.architecture = Architecture(
            **sizes, shape="decoder", target_vocabulary=vocabulary, positions="rotary", max_positions=WINDOW,
            activation=options.activation,
        )  # fmt: skip
        torch.manual_seed(options.seed)
        dropout = Dropout(options.dropout, options.attention_dropout, options.ffn_dropout)
        self.model = Transformer(self.architecture, dropout).to(device)
        self.fresh = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.on_gpu = device.type == "cuda"
        self.bf16 = Bf16Worker(self.model) if self.on_gpu else None
        self.optimizer = make_optimizer(self.model, 1e-3, options.weight_decay, options.beta2)
        self.rate = torch.zeros((), device=device)  # on the device, so that a recorded step can follow it
        for group in self.optimizer.param_groups:
            group.update(lr=self.rate, capturable=self.on_gpu)
        self.loss: Callable[[Transformer, Tensor], Tensor] = next_character
        if self.on_gpu and not options.no_compile:
            self.loss = torch.compile(next_character, dynamic=False)
        self.ids = torch.zeros((options.batch, WINDOW + 1), dtype=torch.long, device=device)
        self.last = torch.zeros((), device=device)
        self.recorded: torch.cuda.CUDAGraph | None = self.record() if self.on_gpu and not options.no_record else None

    def step(self) -> None:
        """One update from `self.ids` at `self.rate`; the loss lands in `self.last`."""
        worker = self.model if self.bf16 is None else self.bf16.model
        for parameter in worker.parameters():
            parameter.grad = None
        loss = self.loss(worker, self.ids)
        loss.backward()  # type: ignore[no-untyped-call]
        if self.bf16 is not None:
            self.bf16.copy_gradients()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        if self.bf16 is not None:
            self.bf16.copy_weights()
        self.last.copy_(loss.detach())

    def record(self) -> torch.cuda.CUDAGraph:
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                self.step()
        torch.cuda.current_stream().wait_stream(aside)
        recorded = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recorded):
            self.step()
        return recorded

    @torch.no_grad()
    def begin(self, seed: int) -> None:
        """Everything as before the first step. The seed is that of the data's order and of dropout."""
        for parameter, fresh in zip(self.model.parameters(), self.fresh, strict=True):
            parameter.copy_(fresh)
        for state in self.optimizer.state.values():
            for value in state.values():
                value.zero_()
        if self.bf16 is not None:
            self.bf16.copy_weights()
        torch.manual_seed(seed)

    def run(self, settings: TrainingSettings, train: Tensor, valid: Tensor) -> dict[str, object]:
        self.begin(settings.seed)
        average = WeightAverage(self.model, settings.ema) if settings.ema else None
        batches = windows(train, self.options.batch, settings.seed)
        steps_took = judging_took = 0.0
        reached: dict[str, float] | None = None
        best, best_at, curve = float("inf"), 0, []
        begun = self.now()
        for step in range(1, settings.steps + 1):
            self.ids.copy_(next(batches))
            self.rate.fill_(learning_rate(settings, step))
            if self.recorded is not None:
                self.recorded.replay()
            else:
                self.step()
            if average is not None:
                average.update(step)
            if step % settings.validate_every == 0 or step == settings.steps:
                paused = self.now()
                steps_took += paused - begun
                if average is None:
                    loss = judge(self.model, valid)
                else:
                    with average.swapped_in():
                        loss = judge(self.model, valid)
                begun = self.now()
                judging_took += begun - paused
                curve.append((step, round(float(self.last), 4), round(loss, 4)))
                if loss < best:
                    best, best_at = loss, step
                if reached is None and loss <= GOAL:
                    reached = {
                        "step": step,
                        "seconds": round(steps_took, 2),
                        "with_validations": round(steps_took + judging_took, 2),
                    }
        return {
            "learning_rate": settings.learning_rate,
            "steps": settings.steps,
            "seed": settings.seed,
            f"reached_{GOAL}": reached,
            "best_loss": round(best, 4),
            "best_step": best_at,
            "ms_a_step": round(1000 * steps_took / settings.steps, 3),
            "seconds": round(steps_took, 2),
            "seconds_with_validations": round(steps_took + judging_took, 2),
            "step_train_valid": curve,
        }

    def now(self) -> float:
        if self.on_gpu:
            torch.cuda.synchronize()
        return time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="tiny Shakespeare's input.txt")
    parser.add_argument("--try", dest="tries", action="append", metavar="RATE:STEPS", help="may be given again")
    parser.add_argument("--seeds", type=int, default=1, help="how often each try is made, every time by another seed")
    parser.add_argument("--seed", type=int, default=1, help="of the first weights")
    parser.add_argument("--batch", type=int, default=32, help="windows per step")
    parser.add_argument("--warm-up", type=int, default=150, help="steps in which the rate rises")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--attention-dropout", type=float, default=0.0)
    parser.add_argument("--ffn-dropout", type=float, default=0.0)
    parser.add_argument("--weight-decay", type=float, default=0.1)
    parser.add_argument("--beta2", type=float, default=0.99)
    parser.add_argument("--ema", type=float, default=0.99, help="average of the weights, e.g. 0.99; 0 for none")
    parser.add_argument("--activation", choices=("relu", "gelu", "swiglu"), default="relu")
    parser.add_argument("--validate-every", type=int, default=50)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--no-record", action="store_true", help="launch every kernel anew, step by step")
    parser.add_argument("--small", action="store_true", help="a small model")
    parser.add_argument("--wait-for", type=Path, metavar="FILE", help="compile, but begin only when this file exists")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    device = torch.device(options.device)
    torch.set_float32_matmul_precision("high")
    train, valid, vocabulary = characters(options.text, device)
    begun = time.perf_counter()
    training = Training(options, vocabulary, device)
    about = {
        "parameters": parameter_count(training.architecture),
        "characters": [len(train), len(valid)],
        "batch": options.batch,
        "dropout": options.dropout,
        "weight_decay": options.weight_decay,
        "ema": options.ema,
        "activation": options.activation,
        "seconds_to_be_ready": round(time.perf_counter() - begun, 1),
        "device": torch.cuda.get_device_name() if device.type == "cuda" else platform.machine(),
        "torch": torch.__version__,
    }
    print(json.dumps(about), flush=True)
    while options.wait_for is not None and not options.wait_for.exists():  # somebody else is being measured
        time.sleep(0.05)
    for one in options.tries or ["1e-3:2200"]:
        rate, steps = one.split(":")
        for seed in range(1, options.seeds + 1):
            settings = TrainingSettings(
                objective="next-token", learning_rate=float(rate), steps=int(steps), warmup=options.warm_up,
                ema=options.ema, validate_every=options.validate_every, seed=seed,
            )  # fmt: skip
            print(json.dumps(training.run(settings, train, valid)), flush=True)


if __name__ == "__main__":
    main()
