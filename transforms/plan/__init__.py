"""Planning by search: a function as a cost network, and the cheapest labels written back."""
