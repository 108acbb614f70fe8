"""Data sets from tables, texts and folders of images."""

from lapoleaf._encoding import TableEncoder as TableEncoder
from lapoleaf.inputs.dataset import Dataset
from lapoleaf.inputs.example import example_table
from lapoleaf.inputs.images.encoder import ImageEncoder
from lapoleaf.inputs.images.extracting import image_features
from lapoleaf.inputs.images.features import ImageFeatures, load_features
from lapoleaf.inputs.reading import read

__all__ = [
    "Dataset",
    "ImageEncoder",
    "ImageFeatures",
    "example_table",
    "image_features",
    "load_features",
    "read",
]
