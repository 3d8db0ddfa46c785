"""A piece of work done by several processes that know of each other."""

import multiprocessing
import os
import socket

from dhyan.core.errors import DhyanError

# What commands and trainings load, much of it only when it comes to that.
SLOW_TO_IMPORT = [
    "dhyan.cli.app",
    "dhyan.cli.translate_documents",
    "dhyan.training.train",
    "matplotlib.pyplot",
    "sacrebleu.metrics",
    "torch._dynamo",
    "torch.distributed.fsdp",
    "torch.utils.tensorboard",
]


def one_process(rank, count, port, said, work, *arguments):
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    try:
        work(*arguments)
    except DhyanError as error:
        said.put(str(error))
        os._exit(2)
    except SystemExit as error:
        os._exit(error.code)
    os._exit(0)


def together(count, work, *arguments):
    """Do it in so many processes; returns their exit codes and all that was said."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context("forkserver")  # PyTorch is imported once, for all of them
    context.set_forkserver_preload(SLOW_TO_IMPORT)
    said = context.SimpleQueue()
    processes = [
        context.Process(target=one_process, args=(rank, count, port, said, work, *arguments)) for rank in range(count)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=120)
        process.kill()  # those that hang
        process.join()
    messages = []
    while not said.empty():
        messages.append(said.get())
    return [process.exitcode for process in processes], messages


def fails_in_the_first():
    """An error of our own, in words that a broken connection would use too."""
    from dhyan.training.distributed.group import join_group

    try:
        with join_group() as group:
            if group.is_main:
                raise RuntimeError("the connection to the data server timed out (socket closed)")
            group.all_reduce_max(1)  # waits for the first, and finds it gone
    except RuntimeError as error:
        raise DhyanError(f"told as it is: {error}") from None


def dies_in_the_second():
    from dhyan.training.distributed.group import join_group

    with join_group() as group:
        if not group.is_main:
            os._exit(9)
        group.all_reduce_max(1)
