//! Software rendering of clips to PNG and GIF, and plots.
