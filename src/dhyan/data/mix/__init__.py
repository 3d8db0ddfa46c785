"""`dhyan mix`: parallel corpora of many sources, cleaned, filtered, weighted and shuffled into one training file."""
