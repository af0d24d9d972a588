"""Run work in threads, in a child process and in compiled loops; cache what it makes."""
