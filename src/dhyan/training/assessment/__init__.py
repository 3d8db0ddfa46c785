"""What a training is worth: baselines before it; intervals, calibration and what more data would give after."""
