"""All messages by topic: requests of the front-end, then messages of the kernel."""
