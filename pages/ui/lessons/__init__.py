"""What each of the later lessons shows, part by part."""
