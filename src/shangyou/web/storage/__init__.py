"""What is stored: the schema, its migrations, and every query on people, running tables and finished games."""
