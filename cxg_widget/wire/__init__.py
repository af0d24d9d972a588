"""What the front-end and the kernel say to each other: messages, frames, and arrays in their smallest form."""
