"""Search for parameters with which a bot plays better."""
