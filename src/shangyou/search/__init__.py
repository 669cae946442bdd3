"""Thinking ahead: beliefs about hidden hands, and search by playing the game to its end."""
