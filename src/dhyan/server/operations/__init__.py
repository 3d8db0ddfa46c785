"""What an operator needs of a server: keys and their limits, metrics, an access log, health, draining, reloading.

`callers.py` decides who may ask (host, origin, key, limits), `observation.py` counts and logs what was answered,
`lifecycle.py` says whether the server is ready and ends it, `pack_reload.py` takes in packs that have changed.
"""
