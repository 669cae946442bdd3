"""One algorithm, one file, its loop in sight. Nothing here touches the disk: what to keep is handed to the caller."""
