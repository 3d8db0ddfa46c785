"""The HTTP API and the page.

Nothing lives here yet.
"""
