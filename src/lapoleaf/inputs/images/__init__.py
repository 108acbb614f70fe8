"""Folders of pictures: which files they hold, what is on them, and the features of each."""
