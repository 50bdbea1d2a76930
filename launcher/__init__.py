"""Gets a Chrome: finds it, starts it or attaches to it, and never loses or leaks one."""
