"""The training loop: batch → loss → gradients → step, with validation, checkpoints and early stopping."""

import gc
import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from dhyan.core.device import is_out_of_memory
from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.model import fast
from dhyan.model.layers import Dropout
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.pack.weights_file import Weights, load_weights, save_weights
from dhyan.training.batching import BatchRows, DataPosition, Sampler
from dhyan.training.best_metrics import is_better
from dhyan.training.checkpoint import State, gather, read_state, restore, save_checkpoint
from dhyan.training.compile import FirstShapes, compile_layers
from dhyan.training.distributed.fsdp import full_tensor, shard, unsharded
from dhyan.training.distributed.group import Group
from dhyan.training.ema import WeightAverage
from dhyan.training.evaluating import evaluating
from dhyan.training.execution import Execution
from dhyan.training.faults import check_rows, loss_is_not_finite
from dhyan.training.gradient_accumulation import FEWEST_TOKENS, halved, micro_batch_count, tokens_that_fit
from dhyan.training.objectives import Batch, objective_for
from dhyan.training.objectives.objective import Loss
from dhyan.training.optimization import make_optimizer
from dhyan.training.precision import Bf16Worker, autocast, configure_backends
from dhyan.training.prefetch import Prefetcher
from dhyan.training.prepare import Prepared
from dhyan.training.random_state import random_state, set_random_state
from dhyan.training.sample_texts import sample_texts_for
from dhyan.training.signals import GracefulStop, Interrupted
from dhyan.training.teacher import load_teacher
from dhyan.training.time_limit import TimeLimit, probe
from dhyan.training.training_log import LogWindow, NoTrainingLog, TrainingLog

LOG_EVERY_SECONDS = 1.0
LEAST_ENTRIES = 200  # of the log: a short training has a curve, too


class Trainer:
    """One run of a training. Everything that outlasts it is in the training's folder.

    In distributed training every process has one; they go through the steps together, each with its own rows.
    """

    def __init__(
        self,
        prepared: Prepared,
        progress: Progress,
        initial: dict[str, Tensor] | None = None,
        group: Group | None = None,
        teacher: Pack | None = None,
    ) -> None:
        """initial: weights to start from (fine-tuning); the others start at random. teacher: for distillation."""
        fast.install()
        self.prepared, self.recipe, self.progress = prepared, prepared.recipe, progress
        self.settings = prepared.recipe.training
        self.folder = prepared.recipe.folder
        self.group = group or Group()
        self.objective = objective_for(prepared)
        self.execution = Execution.choose(self.settings, prepared.architecture, self.objective, self.group)
        self.device = self.execution.device
        configure_backends(self.device)
        self.group.connect(self.device, self.settings.device)
        self._make_model(initial)
        self.optimizer = make_optimizer(
            self.model, self.settings.learning_rate, self.settings.weight_decay, self.settings.beta2
        )
        self.average = WeightAverage(self.model, self.settings.ema) if self.settings.ema else None
        self.state = read_state(self.last_checkpoint) or State()
        if self.state.step:
            restore(self.last_checkpoint, self.state, self.model, self.optimizer, self.average)
        self.time = TimeLimit(self.settings, self.state)
        self._make_worker(teacher)
        self._choose_micro_batches()
        self.stop = GracefulStop()
        self.unchecked: tuple[BatchRows, Tensor] | None = None  # the newest loss, not yet read from the device
        self.gradient_norm = torch.zeros(())  # of the newest step, before clipping; still on the device
        self.sample_texts = sample_texts_for(prepared, self.execution.compiled)

    def _make_model(self, initial: dict[str, Tensor] | None) -> None:
        """The model with float32 weights, the same in every process or sharded among them."""
        torch.manual_seed(self.settings.seed)
        dropout = Dropout(self.settings.dropout, self.settings.attention_dropout, self.settings.ffn_dropout)
        self.model = Transformer(self.prepared.architecture, dropout)
        if initial:
            self.model.load_state_dict(initial, strict=False)
        self.loss: Loss = self.objective.training_loss
        if self.execution.sharded:
            self.loss = shard(self.model, self.loss, self.group, self.device, bfloat16=self.execution.packed)
        self.model.to(self.device)
        if not self.execution.sharded:
            self.group.broadcast([parameter.detach() for parameter in self.model.parameters()])

    def _make_worker(self, teacher: Pack | None) -> None:
        """The model that computes the gradients: the model itself, or a bfloat16 copy; and the teacher beside it."""
        in_bf16 = self.execution.packed or (self.objective.trains_in_bf16 and self.execution.bfloat16)
        self.bf16 = Bf16Worker(self.model) if in_bf16 and not self.execution.sharded else None
        self.worker = self.model if self.bf16 is None else self.bf16.model
        if teacher is not None:
            self.objective.teacher = load_teacher(teacher, self.device, bfloat16=in_bf16)
        if self.execution.compiled:
            for model in filter(None, (self.worker, self.objective.teacher)):
                compile_layers(model, any_shape=not self.execution.packed)
        self.shapes = FirstShapes()

    def _choose_micro_batches(self) -> None:
        if self.settings.micro_batch_tokens:
            self.state.micro_batch_tokens = self.settings.micro_batch_tokens
        elif not self.state.micro_batch_tokens:
            whole, architecture = self.settings.batch_tokens, self.prepared.architecture
            fits = tokens_that_fit(architecture, self.device, whole, self.execution.packed)
            self.state.micro_batch_tokens = fits if self.objective.can_split else whole

    @property
    def last_checkpoint(self) -> Path:
        return self.folder / "checkpoints" / "last"

    def best_checkpoint(self, step: int) -> Path:
        """Its name has the step, so that a state always finds the weights that it refers to."""
        return self.folder / "checkpoints" / f"best-{step}.safetensors"

    # -- the loop --------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Train until the last step, early stopping, or a signal."""
        lengths = self.objective.lengths(self.prepared.train)
        sampler = Sampler(lengths, self.settings.batch_tokens, self.settings.seed, self.execution.packed)
        check_rows(min(sampler.rows_per_batch, len(lengths)), self.group.count, self.settings)
        self.fit_into_time(sampler)
        batches = Prefetcher(sampler, self.make_batch, self.state.position)
        log = TrainingLog(self.folder, self.state.step, self.last_step) if self.group.is_main else NoTrainingLog()
        with self.stop:  # also while the rest ends: torchrun sends SIGTERM as soon as another process has died
            try:
                with log, self.progress.working("training", self.last_step) as update:
                    self.steps(iter(batches), log, update)
            finally:
                batches.stop()

    def steps(self, batches: Iterator[tuple[BatchRows, Batch]], log: TrainingLog, update: ProgressUpdate) -> None:
        window = LogWindow()
        if self.recipe.start_from is not None and not self.state.metrics:
            self.validate_and_keep_best(log)  # a fine-tuned pack must not get worse than it was
        elif not self.state.step:
            with self.evaluated_model() as model:
                if self.group.is_main:  # what random weights make of them
                    self.sample_texts.record(model, 0, self.progress)
        while self.state.step < self.last_step and not self.stops_early():
            rows, batch = next(batches)
            started = time.monotonic()
            loss = self.step(batch)
            self.check_loss(rows, loss)
            self.state.step += 1
            self.state.position = rows.after
            self.state.tokens += batch.tokens
            seconds = time.monotonic() - started
            self.state.seconds += seconds
            window.add(loss, self.gradient_norm, batch.tokens, seconds)
            step = self.state.step
            done = step == self.last_step or self.is_out_of_time()
            is_due = step % -(-self.last_step // LEAST_ENTRIES) == 0
            if is_due or window.seconds >= LOG_EVERY_SECONDS or done:
                seen, window = window.summary(), LogWindow()
                log.write(step, "train", seen | {"learning_rate": self.time.learning_rate(step)})
                rate = f"{seen['tokens_per_second']:,.0f} tokens/s"
                update(step, of=self.last_step, loss=f"{seen['loss']:.3f}", rate=rate)
            if step % self.time.interval(self.settings.validate_every) == 0 or done:
                self.validate_and_keep_best(log)
                if not done and self.group.count == 1:
                    self.time.adapt()
            if step % self.time.interval(self.settings.save_every) == 0 or done:
                self.save()
            signal_number = self.group.stop_signal(self.stop.signal_number)
            if signal_number:
                self.save()
                raise Interrupted(
                    f"stopped at step {step:,}; all of it is saved. Go on with: dhyan train --resume {self.folder}",
                    signal_number,
                )
            if done and step < self.last_step:
                self.progress.say(f"the time ({self.settings.time}) is over: stopping at step {step:,}.")
                break
        if not self.state.metrics:  # resumed with fewer steps than it had: something must become the pack
            self.validate_and_keep_best(log)
            self.save()

    def step(self, batch: Batch) -> Tensor:
        """One optimizer step; returns the mean loss, still on the device."""
        self.group.seed(self.settings.seed, self.state.step)
        random = random_state(self.device)
        while True:
            try:
                total = self.accumulate_gradients(batch)
                break
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                self.halve_micro_batches(batch, error)
            set_random_state(random, self.device)
        own = [] if self.execution.sharded else [p.grad for p in self.model.parameters() if p.grad is not None]
        self.group.all_reduce_sum([total, *own])
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip or math.inf)
        self.gradient_norm = full_tensor(norm).detach()
        total = total + 0 * self.gradient_norm  # a gradient that is not finite shows in the loss
        rate = self.time.learning_rate(self.state.step + 1)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        if self.bf16 is not None:
            self.bf16.copy_weights()
        if self.average is not None:
            self.average.update(self.state.step + 1)
        return total

    def fit_into_time(self, sampler: Sampler) -> None:
        """Where there is a time limit: as many steps as fit into it, and the number of threads that is fastest."""
        if self.state.threads:
            torch.set_num_threads(self.state.threads)
        if self.time.limit is None or self.state.step or self.group.count > 1:
            return
        random, rows = random_state(self.device), islice(sampler.batches(DataPosition()), 1, None)
        steps = (partial(self.accumulate_gradients, self.make_batch(one)) for one in rows)
        found = probe(steps, self.device, self.time.probe_seconds)
        self.zero_grad()
        set_random_state(random, self.device)
        if said := self.time.fit(found):
            self.progress.say(said)

    @property
    def last_step(self) -> int:
        return self.time.last_step

    def is_out_of_time(self) -> bool:
        """All processes stop, or none."""
        return self.time.limit is not None and bool(self.group.all_reduce_max(int(self.time.is_over)))

    def accumulate_gradients(self, batch: Batch) -> Tensor:
        """Sum the gradients of the micro-batches; the loss is the mean over all units, however the batch is split."""
        self.worker.train()
        self.zero_grad()
        total = torch.zeros((), device=self.device)
        for part in self.micro_batches(batch):
            with self.forward_context(part):
                loss = self.loss(self.worker, part.to(self.device).tensors) * part.weight / batch.units
            # FSDP averages gradients over the processes in the backward pass, where the sum is wanted.
            (loss * self.group.count if self.execution.sharded else loss).backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        if self.bf16 is not None:
            self.bf16.copy_gradients()
        return total

    def forward_context(self, batch: Batch) -> AbstractContextManager[object]:
        """The precision, and whether compiled code runs."""
        if self.execution.packed and self.execution.compiled:
            return self.shapes.compiled(batch.tensors["target"].shape)
        return nullcontext() if self.execution.packed or self.bf16 is not None else autocast(self.execution.bfloat16)

    def zero_grad(self) -> None:
        if self.bf16 is not None:  # the master's own are overwritten
            self.bf16.zero_grad()
        else:
            self.optimizer.zero_grad(set_to_none=True)

    def make_batch(self, batch_rows: BatchRows) -> Batch:
        """This process's rows; units and tokens are those of the whole batch."""
        store, rows = self.prepared.train, batch_rows.rows
        if self.execution.packed:
            tokens = np.sum([store.lengths(column, rows) for column in self.objective.columns], axis=0)
            batch = self.objective.packed_batch(store, rows, self.group.own_rows(tokens))
        else:  # padded to one length, all rows cost the same
            own = self.group.own_rows(np.ones(len(rows)))
            batch = self.objective.batch(store, rows, batch_rows.position).some_rows(own)
        return batch.pinned() if self.device.type == "cuda" else batch

    # -- micro-batches ---------------------------------------------------------------------------------------

    def micro_batches(self, batch: Batch) -> list[Batch]:
        """As many in every process where weights are sharded, because all must join the collectives."""
        parts = list(batch.micro_batches(self.micro_batch_count(batch)))
        if self.execution.sharded:
            missing = self.group.all_reduce_max(len(parts)) - len(parts)
            parts += [replace(parts[-1], weight=0.0)] * missing
        return parts

    def micro_batch_count(self, batch: Batch) -> int:
        return micro_batch_count(batch, self.state.micro_batch_tokens) if self.objective.can_split else 1

    def halve_micro_batches(self, batch: Batch, error: BaseException) -> None:
        """Out of memory: smaller micro-batches from now on."""
        if self.execution.sharded:  # the others are in the middle of the same micro-batch, and cannot repeat it
            raise DhyanError(
                f"out of memory; go on with a lower --micro-batch-tokens (now {self.state.micro_batch_tokens}):"
                f" dhyan train --resume {self.folder}"
            ) from error
        if not self.objective.can_split or self.micro_batch_count(batch) >= batch.rows:
            hint = "use a smaller model or --max-positions" if self.objective.can_split else "lower --batch-tokens"
            raise DhyanError(f"out of memory with a batch that cannot be split further; {hint}.") from error
        self.zero_grad()
        self.state.micro_batch_tokens = halved(self.state.micro_batch_tokens, batch)
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        self.progress.say(f"out of memory: going on with {self.state.micro_batch_tokens:,} tokens at once.")

    # -- validation and checkpoints --------------------------------------------------------------------------

    def validate_and_keep_best(self, log: TrainingLog) -> None:
        self.check_loss()
        began = time.monotonic()
        with self.evaluated_model() as model:
            metrics = self.group.on_main(lambda: self.validate(model))
            log.write(self.state.step, "valid", metrics)
            self.keep_if_best(metrics, model)
            if self.group.is_main:
                self.sample_texts.record(model, self.state.step, self.progress)
        self.state.validation_seconds += time.monotonic() - began
        self.state.validations += 1
        shown = ", ".join(f"{name} {value:.4g}" for name, value in metrics.items())
        self.progress.say(f"step {self.state.step:,}: {shown}")

    @contextmanager
    def evaluated_model(self) -> Iterator[Transformer]:
        """What is validated and kept: the averaged weights if there are any, unsharded in the main process."""
        with ExitStack() as stack:
            if self.average is not None:
                stack.enter_context(self.average.swapped_in())
            yield stack.enter_context(unsharded(self.model, self.group))

    def validate(self, model: Transformer) -> dict[str, float]:
        """The model's metrics."""
        tokens = max(FEWEST_TOKENS, min(self.state.micro_batch_tokens, 16_384))
        with evaluating(model, self.execution.compiled), autocast(self.execution.bfloat16):
            while True:
                try:
                    metrics = self.objective.validate(model, self.objective.loss, tokens)
                    break
                except Exception as error:
                    if not is_out_of_memory(error) or tokens <= FEWEST_TOKENS:
                        raise
                    tokens //= 2
                    gc.collect()
        return metrics

    def keep_if_best(self, metrics: dict[str, float], model: Transformer) -> None:
        if is_better(metrics, self.state.metrics, self.settings.metric):
            if self.group.is_main:
                path = self.best_checkpoint(self.state.step)
                path.parent.mkdir(parents=True, exist_ok=True)
                save_weights(path, model.weights(), "float32")
            self.state.best_step, self.state.metrics = self.state.step, metrics
            self.state.validations_since_best = 0
        else:
            self.state.validations_since_best += 1

    def stops_early(self) -> bool:
        patience = self.settings.patience
        if patience and self.state.validations_since_best >= patience:
            self.progress.say(f"no better {self.settings.metric} in {patience} validations: stopping early.")
            return True
        return False

    def save(self) -> None:
        self.check_loss()
        tensors = gather(self.model, self.optimizer, self.average, keep=self.group.is_main)
        self.group.on_main(lambda: self.write_checkpoint(tensors))

    def write_checkpoint(self, tensors: dict[str, Tensor]) -> None:
        save_checkpoint(self.last_checkpoint, self.recipe, self.state, tensors)
        for other in self.last_checkpoint.parent.glob("best-*.safetensors"):
            if other != self.best_checkpoint(self.state.best_step):
                other.unlink()

    def best_weights(self) -> Weights:
        found = load_weights(self.best_checkpoint(self.state.best_step))
        return {name: found[name] for name, _ in self.model.named_parameters()}

    # -- what may go wrong -----------------------------------------------------------------------------------

    def check_loss(self, rows: BatchRows | None = None, loss: Tensor | None = None) -> None:
        """Read the previous loss while the device works on the next one; nothing is saved before it is read."""
        if self.unchecked is not None:
            before, value = self.unchecked
            if not math.isfinite(float(value)):
                raise loss_is_not_finite(
                    before, self.prepared.train, self.state.step, self.settings, self.last_checkpoint
                )
        self.unchecked = (rows, loss) if rows is not None and loss is not None else None
