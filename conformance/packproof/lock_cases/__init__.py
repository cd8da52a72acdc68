"""Lock cases: what they stand for as files, what a lock is to make of them, and how they are drawn."""
