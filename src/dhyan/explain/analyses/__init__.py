"""What the numbers of a trace say: alignment, occlusion, logit lens, heads, beams, words in context."""
