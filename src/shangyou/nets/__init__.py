"""Torch modules that eat packed cards, so that an exported model carries its own encoding."""
