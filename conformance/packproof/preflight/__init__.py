"""`packproof preflight`: looks at a run's configuration before anything is placed."""
