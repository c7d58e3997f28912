"""Matrices on a page: drawn, worked out, explained cell by cell, and answering the reader's hand."""
