"""The protocol between front-end and kernel: messages, frames, and compact encodings of arrays."""
