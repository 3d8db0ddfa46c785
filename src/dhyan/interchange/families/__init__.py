"""Models of other programs, family by family: how their settings and weights become ours."""
