"""The protocol between the front-end and the kernel: messages, frames, and arrays in their smallest form."""
