"""What the experiments measure with: sentences, senses, dependencies, a made-up language."""
