"""What a teacher prepares: links, plans, predictions, polls, and how a class sees them."""
