"""What runs: tables in memory, agents in their threads, WebSockets. It joins `tables`, `storage` and `wire`."""
