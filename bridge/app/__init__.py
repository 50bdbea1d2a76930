"""What the commands do, without the command line. The only place that knows every room."""
