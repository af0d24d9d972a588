"""Every message by what it is about: what the front-end asks, then what the kernel says."""
