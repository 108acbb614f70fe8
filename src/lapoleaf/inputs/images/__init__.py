"""Folders of images: their files, the objects on them, and their features."""
