"""What the chapters of *Self-Attention, Worked Out* build and import."""
