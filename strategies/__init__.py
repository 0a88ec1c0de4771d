"""The built-in bots, one a file; found by entry point like anybody's."""
