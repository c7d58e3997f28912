"""What moves while the finger moves: elements that the browser draws from arrays that NumPy computed."""
