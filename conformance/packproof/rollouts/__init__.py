"""Where rollout bodies are tried: tiny real models, what they were handed, and what was recorded of it."""
