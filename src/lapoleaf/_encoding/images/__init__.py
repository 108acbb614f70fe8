"""Features of pictures by a network; needs the extra ``images``."""
