"""What each PaRO state of a data-parallel step needs: bytes per rank, seconds per step."""
