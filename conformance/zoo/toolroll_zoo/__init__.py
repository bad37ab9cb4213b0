"""A tiny good pack, and packs that each break one rule of the suite: the test of the tester."""
