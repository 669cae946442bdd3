"""The nets of the DeepRocket paper: a policy over plays without kickers, and a net that chooses kickers one by one."""

from shangyou.nets.deeprocket.net import ConvSize, DeepRocket, Predictions, Size

__all__ = ["ConvSize", "DeepRocket", "Predictions", "Size"]
