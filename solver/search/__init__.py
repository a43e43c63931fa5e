"""Cheapest assignments of cost networks: exact, bounded, and alternatives to compare with."""
