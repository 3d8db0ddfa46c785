"""The same application on a Ray cluster: Ray Serve shares requests among replicas and replaces those that die.

`dhyan serve --executor ray` starts it and ends it; deploy/ray-serve.yaml leaves it running, scaled by its load.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dhyan.core.ray_cluster import ray_cluster  # isort: skip  # first: it sets what Ray reads when it is imported

from fastapi import FastAPI
from ray import serve

from dhyan.core.errors import DhyanError
from dhyan.pack.pack import find_pack, known_packs
from dhyan.server.app import create_app
from dhyan.server.operations.access_log import STDOUT
from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.serve import local_url, packs_named, take_port, warm_up
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings

NAME = "dhyan"  # of the application and of its only deployment
QUIET = {"log_level": "ERROR", "enable_access_log": False}
# A replica refuses by itself what is too much for it, so it may be given more than Ray Serve's usual five requests.
MOST_REQUESTS = 256
HEALTH_CHECK = 2.0  # seconds from one to the next
LOGS = "Its logs say why: serve/ in the folder that Ray keeps them in, /tmp/ray/session_latest/logs."


class Replica:
    """A process with all packs. It opens none up: their traces would lie in one replica and be asked of another."""

    def __init__(self, values: dict[str, Any]) -> None:
        settings = replica_settings(values)
        packs = ServedPacks(packs_named(settings.model, known_packs(), find_pack), settings)
        lifecycle = Lifecycle("starting")
        self.dhyan = create_app(packs, settings, lifecycle=lifecycle)
        warm_up(packs, lifecycle, print)  # a replica takes requests when this is done

    def __serve_build_asgi_app__(self) -> FastAPI:
        return self.dhyan


deployment: Any = serve.deployment(
    name=NAME,
    max_ongoing_requests=MOST_REQUESTS,
    health_check_period_s=HEALTH_CHECK,
    health_check_timeout_s=30,
    logging_config=QUIET,
)(serve.ingress()(Replica))


def replica_settings(values: dict[str, Any]) -> ServerSettings:
    """An engine has one thread unless it is told otherwise: more replicas use more cores.

    What one process keeps, be it a trace, a lab's run or a translated file, another would be asked for.
    """
    settings = ServerSettings.checked(values, "the application's args")
    only_here = {
        "allow_explain": False,
        "allow_labs": False,
        "allow_trainings": False,
        "training": (),
        "max_kept_files": 0,
        "threads": settings.threads or 1,
    }
    return settings.model_copy(update=only_here)


def with_whole_paths(settings: ServerSettings) -> ServerSettings:
    """A replica runs in another folder. Packs that are called by name are found by each machine for itself."""
    known = known_packs()
    models = tuple(name if name in known else str(find_pack(name).absolute()) for name in settings.model)
    update: dict[str, Any] = {"model": models, "keys": settings.keys and settings.keys.absolute()}
    if settings.access_log and settings.access_log != STDOUT:
        update["access_log"] = str(Path(settings.access_log).absolute())
    return settings.model_copy(update=update)


def application(args: dict[str, Any]) -> serve.Application:
    """What `import_path` in a YAML names. args: settings of `dhyan serve` by name, such as {"model": ["en-hi"]}."""
    return deployment.options(ray_actor_options={"num_cpus": replica_settings(args).threads}).bind(args)


def run_on_ray(settings: ServerSettings, replicas: int, ready: Callable[[str], object]) -> None:
    """Serve on the cluster until Ctrl-C or SIGTERM, with this many replicas."""
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    values = with_whole_paths(settings).model_dump(mode="json", exclude_defaults=True)
    cpus = replica_settings(values).threads
    with take_port(settings.port, settings.host) as held:  # whether it is free is said in words now
        port: int = held.getsockname()[1]
    replica = deployment.options(num_replicas=replicas, ray_actor_options={"num_cpus": cpus})
    with ray_cluster(cpus * replicas):
        try:
            serve.start(http_options={"host": settings.host, "port": port}, logging_config=QUIET)
            serve.run(replica.bind(values), name=NAME, logging_config=QUIET)
        except RuntimeError as error:
            raise DhyanError(f"Ray Serve does not start: {str(error).splitlines()[0]} {LOGS}") from None
        try:
            ready(local_url(settings.host, port) + settings.root_path)
            threading.Event().wait()
        finally:
            serve.delete(NAME)
