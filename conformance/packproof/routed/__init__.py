"""What the checks of recorded routing are made of: records, cases, policy inputs that carry them, and the steps."""
