"""What a CUDA graph does, without a GPU: operations are recorded with the tensors they work on, and done again.

Python runs once, so whatever it knows is frozen, and what it reads from a tensor is refused, as it is there.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

aten = torch.ops.aten
READ_BACK = {aten._local_scalar_dense, aten.nonzero, aten.is_nonzero, aten.equal, aten.masked_select, aten.lift_fresh}


class RecorderOfOperations:
    def __init__(self):
        self.recorded = self.replayed = 0

    def record(self, step):
        self.recorded += 1
        recording = Recording(self)
        with recording:
            step()
        return recording

    def wait(self):
        pass


class Recording(TorchDispatchMode):
    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder
        self.calls = []
        self.is_done = True  # to record is to do it once, unlike on a GPU: the first replay is left out

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        assert function.overloadpacket not in READ_BACK, f"a step reads back: {function}"
        result = function(*args, **(kwargs or {}))
        self.calls.append((function, args, kwargs or {}, result))
        return result

    def replay(self):
        self.recorder.replayed += 1
        if self.is_done:
            self.is_done = False
            return
        now = {}  # the tensors of this time in place of those that were made while recording

        def of_now(x):
            return now.get(id(x), x) if isinstance(x, torch.Tensor) else x

        for function, args, kwargs, result in self.calls:
            again = function(*tree_map(of_now, args), **tree_map(of_now, kwargs))
            for old, new in zip(_tensors(result), _tensors(again), strict=True):
                now[id(old)] = new


def _tensors(result):
    return [result] if isinstance(result, torch.Tensor) else [x for x in result if isinstance(x, torch.Tensor)]
