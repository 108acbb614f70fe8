"""Features of pictures, from a folder of them; needs the extra ``images``."""

from lapoleaf.images.extracting import image_features
from lapoleaf.images.features import ImageFeatures, load_features

__all__ = ["ImageFeatures", "image_features", "load_features"]
