"""Parts that models of other programs have, and the model of the notes has not."""
