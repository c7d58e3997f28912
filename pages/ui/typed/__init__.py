"""What a reader types: numbers, matrices and sentences, read without guessing."""
