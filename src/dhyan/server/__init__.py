"""The HTTP API and the page: use packs and look inside them, in a browser on the same machine.

`create_app` (app.py) joins the routes: `routes_use.py` runs packs, `routes_explain.py` and `routes_what_if.py` show
what they compute, `routes_labs.py` runs experiments. Every route reaches a model through `ModelCalls`
(model_calls.py), which lets in no more than there is room for; `ServerSettings` (settings.py) has every limit.
`page/` is plain ES modules, served as written. `run` (serve.py) binds 127.0.0.1 only.
"""
