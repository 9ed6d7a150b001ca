"""What the unit tests have in common."""

import torch

# The tensors are small: sharing them out among threads takes longer than the sums.
torch.set_num_threads(1)
