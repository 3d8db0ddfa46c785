"""Distributed training: the process group, the launcher, the liveness check, and sharded weights (FSDP)."""
