"""What an operator needs of a server: keys and their limits, metrics, an access log, health, draining, reloading.

`gate.py` decides who may ask (host, key, rate limits), `observation.py` counts and logs what was answered,
`lifecycle.py` says whether the server starts, is ready or drains, `pack_reload.py` takes in packs that have changed.
"""
