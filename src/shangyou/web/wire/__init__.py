"""What is sent: the types of all requests, messages and answers, and the functions that make them from tables and games."""
