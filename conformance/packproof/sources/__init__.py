"""Data sources under test: how they are named, built and asked, and how they are changed from outside."""
