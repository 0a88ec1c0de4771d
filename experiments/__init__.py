"""Experiments: several arms on the same deals, in a folder that can be resumed, with a report."""
