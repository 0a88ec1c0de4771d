"""Questions asked of a run: figures with intervals, charts, and the report that holds them."""
