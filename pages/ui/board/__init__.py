"""Matrices that answer: tables whose cells can be chosen, typed into and followed by keyboard."""
