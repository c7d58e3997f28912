"""What each lesson shows and says; a page script calls it."""
