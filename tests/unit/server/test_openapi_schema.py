"""What /openapi.json promises, tried by Schemathesis with requests that it makes of it: some fit, some do not."""

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from support.packs import random_pack

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance)
HOST = {"Host": "127.0.0.1"}
EXAMPLES = 2  # of an operation, that fit it and that do not
BRIEFLY = settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate],  # a failure is shown as it is found: to make it small takes long
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def operations(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    for name, shape in (("to-hindi", "encoder-decoder"), ("moods", "encoder"), ("author", "decoder")):
        random_pack(folder / name, shape)
    app = create_app(ServedPacks({name: folder / name for name in ("to-hindi", "moods", "author")}))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HOST)
    schema = schema.exclude(path_regex="/labs/")  # experiments take their time
    yield [found.ok() for found in schema.get_all_operations()]
    app.state.calls.close()


@pytest.mark.parametrize("mode", GenerationMode)
def test_every_operation(operations, mode):
    assert len(operations) > 30
    for operation in operations:

        @BRIEFLY
        @given(case=operation.as_strategy(generation_mode=mode))
        def one_operation(case):
            case.validate_response(case.call(headers=HOST), checks=CHECKS)

        with suppress(Unsatisfiable):  # where nothing is asked for, nothing can be wrong
            one_operation()
