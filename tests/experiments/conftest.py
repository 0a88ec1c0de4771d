"""Fixtures of the tests of experiments."""

from arranged import seqlab

__all__ = ["seqlab"]
