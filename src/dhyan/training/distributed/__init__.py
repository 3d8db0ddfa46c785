"""Training by several processes: who they are, how they are started, whether all are alive, and sharded weights."""
