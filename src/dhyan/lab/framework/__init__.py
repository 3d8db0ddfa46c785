"""What all experiments share: how one is described, measured, kept, concluded and drawn."""
