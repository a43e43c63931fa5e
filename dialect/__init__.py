"""What is a distribution? Meshes, shardings, partial values, the `dist` dialect, op rules."""
