"""The companion as a running program: a camera loop, one thread that owns the table, and the port the pages use."""
