"""Names and layout of recorded expert routing, declared once."""

__all__ = ["FORWARD_REPLAY_BATCH_KEY", "MISSING_EXPERT", "ROLLOUT_ROUTED_EXPERTS_KEY", "ROUTING_DTYPES"]

ROLLOUT_ROUTED_EXPERTS_KEY = "rollout_routed_experts"
"""Key in `policy_info`: integer `[L-1, layers, top_k]`, one row per input position."""

FORWARD_REPLAY_BATCH_KEY = "forward_replay_routing"
"""Key in the policy batch: integer `[B, L, layers, top_k]`."""

MISSING_EXPERT = -1
"""Filler for rows without a record; never a real expert id."""

ROUTING_DTYPES = ("int8", "int16", "int32", "int64")
"""Signed, because the filler is negative."""
