"""The HTTP API and the page: use packs and look inside them, on this machine or for others.

`create_app` (app.py) joins the routes: `routes_use.py` runs packs, `routes_explain.py` and `routes_what_if.py` show
what they compute, `routes_labs.py` runs experiments. Every route reaches a model through `ModelCalls`
(model_calls.py), which lets in no more than there is room for; `ServerSettings` (settings.py) has every limit.
`page/` is plain ES modules, served as written. `protocols/` speaks the APIs that other programs know, `operations/`
is for whoever runs the server, and `run` (serve.py) runs it.
"""
