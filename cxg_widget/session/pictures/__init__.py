"""Drawing the plot in the kernel: pictures of the plot and of panels, figures, and HTML pages."""
