"""The HTTP API and the page: packs in use, and opened up, in a browser on the same machine.

`create_app` (app.py) puts it together: `using.py` is what a pack is for, `opening.py` is what happens inside it, and
`page/` is plain ES modules, served as they are written. `run` (running.py) binds 127.0.0.1 and nothing else.
"""
