"""What is on show drawn by the kernel: pictures of the plot and of panels, figures, and the page in a file."""
