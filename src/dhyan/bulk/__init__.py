"""Files too big for one machine: many files in, a folder of Parquet out.

The input is cut into shards; workers, each with the pack loaded once, make one finished Parquet file of each, and
know nothing of each other. So whatever is missing is what is left to do, whoever does it: processes of this machine
(`process_executor`) or of a Ray cluster (`ray_executor`).
"""
