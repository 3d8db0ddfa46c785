"""Files of text → rows, and rows → ids on disk: readers, cleaning, the id store."""
