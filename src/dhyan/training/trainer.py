"""The loop: batch → loss → gradients → step, with validations, checkpoints, and an honest end."""

import gc
import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.model import fast
from dhyan.model.device import is_out_of_memory
from dhyan.model.layers import Dropout
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.pack.weights_file import Weights, load_weights, save_weights
from dhyan.training.batching import Draw, Sampler
from dhyan.training.checkpoint import State, gather, read_state, restore, save_checkpoint
from dhyan.training.compile import FirstShapes, as_written, compile_layers
from dhyan.training.devices import can_pack, mixed_precision, tokens_that_fit, works_in_half
from dhyan.training.distributed.fsdp import put_together, shard, whole
from dhyan.training.distributed.group import Ranks
from dhyan.training.ema import Average
from dhyan.training.objectives import Batch, objective_for
from dhyan.training.objectives.objective import Loss
from dhyan.training.optimization import make_optimizer
from dhyan.training.precision import HalfCopy
from dhyan.training.prefetch import Prefetcher
from dhyan.training.prepared import Prepared
from dhyan.training.rng import random_state, set_random_state
from dhyan.training.schedule import learning_rate
from dhyan.training.signals import Interrupted, PoliteStop
from dhyan.training.teacher import at_work
from dhyan.training.training_log import Journal, NoJournal
from dhyan.training.window import Window

HIGHER_IS_BETTER = frozenset(["bleu", "chrf", "accuracy", "f1"])
LOG_EVERY_SECONDS = 1.0
PACKED_MORE = 1.25  # a packed batch is asked for by its real tokens; with those that fill up it may have so many


class Trainer:
    """One sitting of a training. All that outlasts it is in the folder.

    Several processes may each have one and go through it in step, with a share of every batch: see `ranks`.
    """

    def __init__(
        self,
        prepared: Prepared,
        reporter: Progress,
        initial: dict[str, Tensor] | None = None,
        ranks: Ranks | None = None,
        teacher: Pack | None = None,
    ) -> None:
        """initial: weights to start from (fine-tuning); the others start at random."""
        fast.install()
        self.prepared, self.recipe, self.reporter = prepared, prepared.recipe, reporter
        self.settings = prepared.recipe.training
        self.folder = prepared.recipe.folder
        self.ranks = ranks or Ranks()
        self.device = self.ranks.connect(self.settings.device)
        self.precision = mixed_precision(self.settings.precision, self.device)
        torch.manual_seed(self.settings.seed)
        dropout = Dropout(self.settings.dropout, self.settings.attention_dropout, self.settings.ffn_dropout)
        self.model = Transformer(prepared.architecture, dropout)
        self.fine_tunes = prepared.recipe.start_from is not None
        if initial:
            self.model.load_state_dict(initial, strict=False)
        self.objective = objective_for(prepared)
        self.loss: Loss = self.objective.training_loss
        self.packed = self.objective.packs and can_pack(prepared.architecture, self.device, self.settings)
        self.sharded = self.settings.parallel == "fsdp" and self.ranks.count > 1
        self.refuse_what_cannot_be_shared()
        if self.sharded:
            self.loss = shard(self.model, self.loss, self.ranks, self.device, half=self.packed)
        self.model.to(self.device)
        if not self.sharded:
            self.ranks.take_over([parameter.detach() for parameter in self.model.parameters()])
        self.optimizer = make_optimizer(self.model, self.settings.learning_rate, self.settings.weight_decay,
                                        self.settings.beta2)  # fmt: skip
        self.average = Average(self.model, self.settings.ema) if self.settings.ema else None
        self.state = read_state(self.last) or State()
        if self.state.step:
            restore(self.last, self.state, self.model, self.optimizer, self.average)
        in_half = self.packed or (self.objective.in_half and works_in_half(self.device, self.settings))
        self.half = HalfCopy(self.model) if in_half and not self.sharded else None
        self.worker = self.model if self.half is None else self.half.model
        if teacher is not None:
            self.objective.teacher = at_work(teacher, self.device, half=in_half)
        if self.settings.compile:
            for model in filter(None, (self.worker, self.objective.teacher)):
                compile_layers(model, any_shape=not self.packed)
        self.shapes = FirstShapes()
        if self.settings.micro_batch_tokens:
            self.state.micro_batch_tokens = self.settings.micro_batch_tokens
        elif not self.state.micro_batch_tokens:
            wanted = round(self.settings.batch_tokens * (PACKED_MORE if self.packed else 1))
            fits = tokens_that_fit(prepared.architecture, self.device, wanted, self.packed)
            self.state.micro_batch_tokens = fits if self.objective.splits else self.settings.batch_tokens
        self.stop = PoliteStop()
        self.unchecked: tuple[Draw, Tensor] | None = None  # the newest loss, not yet read from the device

    @property
    def last(self) -> Path:
        return self.folder / "checkpoints" / "last"

    def best(self, step: int) -> Path:
        """Named by its step, so that a state always finds the weights that it speaks of."""
        return self.folder / "checkpoints" / f"best-{step}.safetensors"

    # -- the loop --------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Train until the last step, or until patience or the user's runs out."""
        lengths = self.objective.lengths(self.prepared.train)
        sampler = Sampler(lengths, self.settings.batch_tokens, self.settings.seed, self.packed)
        self.refuse_too_few_rows(min(sampler.typical, len(lengths)))
        ahead = Prefetcher(sampler, self.make_batch, self.state.place)
        journal = Journal(self.folder, self.state.step) if self.ranks.first else NoJournal()
        try:
            with self.stop, self.reporter.working("training", self.settings.steps) as progress:
                self.steps(iter(ahead), journal, progress)
        finally:
            ahead.stop()
            journal.close()

    def steps(self, batches: Iterator[tuple[Draw, Batch]], journal: Journal, progress: ProgressUpdate) -> None:
        window = Window()
        if self.fine_tunes and not self.state.metrics:
            self.validate_and_remember(journal)  # what it was before is the first best: it must not get worse
        while self.state.step < self.settings.steps and not self.out_of_patience():
            draw, batch = next(batches)
            started = time.monotonic()
            loss = self.update(batch)
            self.check(draw, loss)
            self.state.step += 1
            self.state.place = draw.after
            self.state.tokens += batch.tokens
            spent = time.monotonic() - started
            self.state.seconds += spent
            window.add(loss, batch, spent)
            step = self.state.step
            if window.seconds >= LOG_EVERY_SECONDS or step == self.settings.steps:
                seen, window = window.summary(), Window()
                journal.write(step, "train", seen | {"learning_rate": learning_rate(self.settings, step)})
                progress(step, loss=f"{seen['loss']:.3f}", rate=f"{seen['tokens_per_second']:,.0f} tokens/s")
            done = step == self.settings.steps
            if step % self.settings.validate_every == 0 or done:
                self.validate_and_remember(journal)
            if step % self.settings.save_every == 0 or done:
                self.save()
            asked = self.ranks.asked_to_stop(self.stop.asked)
            if asked:
                self.save()
                raise Interrupted(
                    f"stopped at step {step:,}; all of it is saved. Go on with: dhyan train --resume {self.folder}",
                    asked,
                )
        if not self.state.metrics:  # resumed with fewer steps than it had: something must become the pack
            self.validate_and_remember(journal)
            self.save()

    def update(self, batch: Batch) -> Tensor:
        """One step of the weights; returns the mean loss, still on the device. Halves its parts when memory ends."""
        self.ranks.seed(self.settings.seed, self.state.step)
        random = random_state(self.device)
        while True:
            try:
                total = self.gradients(batch)
                break
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                self.halve(batch, error)
            set_random_state(random, self.device)
        mine = [] if self.sharded else [p.grad for p in self.model.parameters() if p.grad is not None]
        self.ranks.add_up([total, *mine])
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip or math.inf)
        total = total + 0 * whole(norm)  # a gradient that is not finite shows in the loss
        rate = learning_rate(self.settings, self.state.step + 1)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        if self.half is not None:
            self.half.refresh()
        if self.average is not None:
            self.average.update(self.state.step + 1)
        return total

    def gradients(self, batch: Batch) -> Tensor:
        """Add up the gradients of the batch's parts; the loss is the mean over all units, however it is cut."""
        self.worker.train()
        self.forget_gradients()
        total = torch.zeros((), device=self.device)
        for part in self.split(batch):
            with self.way_through(part):
                loss = self.loss(self.worker, part.to(self.device).tensors) * part.weight / batch.units
            # FSDP adds gradients up on the way back, and takes the mean where the sum is wanted.
            (loss * self.ranks.count if self.sharded else loss).backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        if self.half is not None:
            self.half.hand_over()
        return total

    def way_through(self, part: Batch) -> AbstractContextManager[object]:
        """The precision and the code that a part's loss is computed with."""
        if self.packed and self.settings.compile:
            return self.shapes.compiled(part.tensors["target"].shape)
        return nullcontext() if self.packed or self.half is not None else self.precision

    def split(self, batch: Batch) -> list[Batch]:
        """The parts that go through the model one after the other; as many in every process that shares weights."""
        parts = list(batch.split(self.parts(batch)))
        if self.sharded:
            missing = self.ranks.largest(len(parts)) - len(parts)
            parts += [replace(parts[-1], weight=0.0)] * missing
        return parts

    def forget_gradients(self) -> None:
        if self.half is not None:  # the model's own are overwritten
            self.half.forget_gradients()
        else:
            self.optimizer.zero_grad(set_to_none=True)

    def parts(self, batch: Batch) -> int:
        return -(-batch.cells // self.state.micro_batch_tokens) if self.objective.splits else 1

    def halve(self, batch: Batch, error: BaseException) -> None:
        rows = batch.rows
        if self.sharded:  # the others are in the middle of the same part, and cannot go back
            raise DhyanError(
                f"out of memory; go on with a lower --micro-batch-tokens (now {self.state.micro_batch_tokens}):"
                f" dhyan train --resume {self.folder}"
            ) from error
        if not self.objective.splits or self.parts(batch) >= rows:
            hint = "lower --batch-tokens" if not self.objective.splits else "use a smaller model or --max-positions"
            raise DhyanError(f"out of memory with a batch that cannot be split further; {hint}.") from error
        self.forget_gradients()
        while self.parts(batch) < rows:
            before = self.parts(batch)
            self.state.micro_batch_tokens = max(1, self.state.micro_batch_tokens // 2)
            if self.parts(batch) > before:
                break
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        self.reporter.say(f"out of memory: going on with {self.state.micro_batch_tokens:,} tokens at once.")

    def make_batch(self, draw: Draw) -> Batch:
        """This process's share of the rows; units and tokens are those of all of them, whoever works on them."""
        store, rows = self.prepared.train, draw.rows
        if self.packed:
            tokens = np.sum([store.lengths(column, rows) for column in self.objective.columns], axis=0)
            batch = self.objective.packed_batch(store, rows, self.ranks.share(tokens))
        else:  # padded to one length, all rows cost the same
            batch = self.objective.batch(store, rows, draw.place).share(self.ranks.share(np.ones(len(rows))))
        return batch.pinned() if self.device.type == "cuda" else batch

    # -- validation and checkpoints --------------------------------------------------------------------------

    def validate_and_remember(self, journal: Journal) -> None:
        self.check()
        with self.judged_model() as model:
            metrics = self.ranks.first_alone(lambda: self.validate(model))
            journal.write(self.state.step, "valid", metrics)
            self.remember(metrics, model)
        shown = ", ".join(f"{name} {value:.4g}" for name, value in metrics.items())
        self.reporter.say(f"step {self.state.step:,}: {shown}")

    @contextmanager
    def judged_model(self) -> Iterator[Transformer]:
        """What is validated and kept: the averaged weights if there are any, all of them in the first process."""
        with ExitStack() as stack:
            if self.average is not None:
                stack.enter_context(self.average.in_place())
            yield stack.enter_context(put_together(self.model, self.ranks))

    def validate(self, model: Transformer) -> dict[str, float]:
        """The model's scores. Leaves the training's random state as it was."""
        random = random_state(self.device)
        model.eval()
        tokens = max(256, min(self.state.micro_batch_tokens, 16_384))
        while True:
            try:
                with torch.inference_mode(), self.precision, as_written() if self.settings.compile else nullcontext():
                    scores = self.objective.validate(model, self.objective.loss, tokens)
                break
            except Exception as error:
                if not is_out_of_memory(error) or tokens <= 256:
                    raise
                tokens //= 2
                gc.collect()
        model.train()
        set_random_state(random, self.device)
        return scores

    def remember(self, metrics: dict[str, float], model: Transformer) -> None:
        """Keep the model's weights if they are the best so far."""
        if self.is_better(metrics):
            if self.ranks.first:
                place = self.best(self.state.step)
                place.parent.mkdir(parents=True, exist_ok=True)
                save_weights(place, model.weights(), "float32")
            self.state.best_step, self.state.metrics = self.state.step, metrics
            self.state.validations_since_best = 0
        else:
            self.state.validations_since_best += 1

    def is_better(self, metrics: dict[str, float]) -> bool:
        """By the metric that decides; where it is the same, by the loss."""

        def rank(scores: dict[str, float]) -> tuple[float, float]:
            sign = 1 if self.settings.metric in HIGHER_IS_BETTER else -1
            return sign * scores[self.settings.metric], -scores["loss"]

        return not self.state.metrics or rank(metrics) > rank(self.state.metrics)

    def out_of_patience(self) -> bool:
        limit = self.settings.patience
        if limit and self.state.validations_since_best >= limit:
            self.reporter.say(f"no better {self.settings.metric} in {limit} validations: stopping early.")
            return True
        return False

    def save(self) -> None:
        self.check()
        tensors = gather(self.model, self.optimizer, self.average, keep=self.ranks.first)
        self.ranks.first_alone(lambda: self.write_checkpoint(tensors))

    def write_checkpoint(self, tensors: dict[str, Tensor]) -> None:
        save_checkpoint(self.last, self.recipe, self.state, tensors)
        for other in self.last.parent.glob("best-*.safetensors"):
            if other != self.best(self.state.best_step):
                other.unlink()

    def best_weights(self) -> Weights:
        found = load_weights(self.best(self.state.best_step))
        return {name: found[name] for name, _ in self.model.named_parameters()}

    # -- what may go wrong -----------------------------------------------------------------------------------

    def refuse_what_cannot_be_shared(self) -> None:
        if self.ranks.count > 1 and not self.objective.splits:
            raise DhyanError(
                f"objective = '{self.settings.objective}' cannot be trained by several processes, because a row's"
                " negatives are all the other rows of its batch; start one process."
            )
        if self.sharded and self.settings.compile:
            raise DhyanError("--compile does not go with --parallel fsdp; leave one of them out.")

    def refuse_too_few_rows(self, rows: int) -> None:
        if rows < self.ranks.count:
            raise DhyanError(
                f"a batch has about {rows} rows, too few for {self.ranks.count} processes; start at most {rows},"
                f" or raise --batch-tokens (now {self.settings.batch_tokens:,})."
            )

    def check(self, draw: Draw | None = None, loss: Tensor | None = None) -> None:
        """Read the previous loss while the device works on the next one; nothing is saved before it is read."""
        if self.unchecked is not None:
            before, value = self.unchecked
            if not math.isfinite(float(value)):
                store = self.prepared.train
                rows = [store.origin(int(row)) for row in before.rows[:5] if int(row) < len(store)]
                more = f" and {len(before.rows) - 5} more" if len(before.rows) > 5 else ""
                good = f"the checkpoint in {self.last} is good" if self.last.exists() else "nothing was saved yet"
                remedy = f"--learning-rate (now {self.settings.learning_rate:g})"
                remedy += f" or --clip (now {self.settings.clip:g})" if self.settings.clip else ", or set --clip 1"
                raise DhyanError(
                    f"the loss is no longer a number at step {self.state.step:,} (epoch {before.place.epoch + 1},"
                    f" batch {before.place.batch + 1}: {', '.join(rows)}{more}); train anew, with another --out,"
                    f" with a lower {remedy}; {good}."
                )
        self.unchecked = (draw, loss) if draw is not None and loss is not None else None
