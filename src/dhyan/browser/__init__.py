"""Dhyan in a browser tab: the same packs, the same care, without a server."""
