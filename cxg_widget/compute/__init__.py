"""How work is run and what it made is kept: threads, a child process, compiled loops, a memo and a cache."""
